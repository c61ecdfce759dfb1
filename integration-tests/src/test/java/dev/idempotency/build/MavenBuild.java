package dev.idempotency.build;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;

import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * What the Maven build says of itself.
 */
final class MavenBuild {

	private static final XPath XPATH = XPathFactory.newInstance().newXPath();

	private final Path root;

	private final Document parent;

	MavenBuild(Path root) throws Exception {
		this.root = root;
		this.parent = parse(root.resolve("pom.xml"));
	}

	private static Document parse(Path pom) throws Exception {
		return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(Files.newInputStream(pom));
	}

	List<String> modules() throws Exception {
		return texts(this.parent, "/project/modules/module");
	}

	String groupAndVersion() throws Exception {
		return text(this.parent, "/project/groupId") + ":" + text(this.parent, "/project/version");
	}

	/**
	 * The properties that are versions: {@code boot.floor.version} is {@code boot-floor}.
	 */
	Map<String, String> versions() throws Exception {
		Map<String, String> versions = new TreeMap<>();
		for (Node property : nodes(this.parent, "/project/properties/*")) {
			if (property.getNodeName().endsWith(".version")) {
				String name = property.getNodeName().replaceFirst("\\.version$", "").replace('.', '-');
				versions.put(name, property.getTextContent());
			}
		}
		return versions;
	}

	/**
	 * Each dependency as {@code group:artifact:version} with its scope; the version is
	 * empty where the Boot line manages it.
	 */
	Map<String, String> dependencies(String module) throws Exception {
		Map<String, String> dependencies = new TreeMap<>();
		for (Node dependency : nodes(pom(module), "/project/dependencies/dependency")) {
			String scope = text(dependency, "scope");
			boolean optional = text(dependency, "optional").equals("true");
			boolean alone = text(dependency, "exclusions/exclusion/artifactId").equals("*");
			dependencies.put(coordinates(dependency),
					(optional ? "optional" : scope.isEmpty() ? "compile" : scope) + (alone ? " alone" : ""));
		}
		for (Node processor : nodes(pom(module), "//annotationProcessorPaths/path")) {
			dependencies.put(coordinates(processor), "processor");
		}
		return dependencies;
	}

	private String coordinates(Node node) throws Exception {
		return text(node, "groupId") + ":" + text(node, "artifactId") + ":" + resolved(text(node, "version"));
	}

	private String resolved(String version) throws Exception {
		return version.startsWith("${") ? text(this.parent, "/project/properties/" + version.replaceAll("[${}]", ""))
				: version;
	}

	/**
	 * The property that names the Spring Boot line of a module.
	 */
	String bootLine(String module) throws Exception {
		String bom = "/project/dependencyManagement/dependencies/dependency[artifactId='spring-boot-dependencies']/version";
		String own = text(pom(module), bom);
		String line = own.isEmpty() ? text(this.parent, bom) : own;
		return line.replaceAll("\\$\\{boot\\.(.*)\\.version}", "$1");
	}

	boolean isPublished(String module) throws Exception {
		return !text(pom(module), "/project/properties/*[name()='maven.deploy.skip']").equals("true");
	}

	String description(String module) throws Exception {
		return text(pom(module), "/project/description");
	}

	/**
	 * What a repository wants to know of all that is published.
	 */
	Map<String, String> metadata() throws Exception {
		Map<String, String> metadata = new TreeMap<>();
		metadata.put("url", text(this.parent, "/project/url"));
		for (String part : List.of("licenses/license", "developers/developer", "scm")) {
			for (Node node : nodes(this.parent, "/project/" + part + "/*")) {
				metadata.put(part.replaceFirst(".*/", "") + "." + node.getNodeName(), node.getTextContent().trim());
			}
		}
		return metadata;
	}

	/**
	 * The parts of the metadata to which Maven appends the name of a module.
	 */
	List<String> inheritedWithTheNameOfTheModule() throws Exception {
		List<String> appended = new ArrayList<>();
		for (String part : List.of("project.url", "scm.url", "scm.connection", "scm.developerConnection")) {
			String attribute = "@*[name()='child." + part + ".inherit.append.path']";
			String element = part.startsWith("scm") ? "/project/scm/" : "/project/";
			if (!text(this.parent, element + attribute).equals("false")) {
				appended.add(part);
			}
		}
		return appended;
	}

	/**
	 * What a profile adds to the build.
	 */
	List<String> pluginsOf(String profile) throws Exception {
		return texts(this.parent, "/project/profiles/profile[id='" + profile + "']//plugin/artifactId");
	}

	/**
	 * What a profile sets.
	 */
	Map<String, String> propertiesOf(String profile) throws Exception {
		Map<String, String> properties = new TreeMap<>();
		for (Node property : nodes(this.parent, "/project/profiles/profile[id='" + profile + "']/properties/*")) {
			properties.put(property.getNodeName(), property.getTextContent());
		}
		return properties;
	}

	/**
	 * What the agent that measures coverage looks at.
	 */
	List<String> coveredClasses() throws Exception {
		return texts(this.parent, "//plugin[artifactId='jacoco-maven-plugin']//includes/include");
	}

	/**
	 * What javac is told in every module.
	 */
	List<String> compilerArguments() throws Exception {
		return texts(this.parent, "//plugin[artifactId='maven-compiler-plugin']//compilerArgs/arg");
	}

	private Document pom(String module) throws Exception {
		return parse(this.root.resolve(module).resolve("pom.xml"));
	}

	private static String text(Node node, String path) throws Exception {
		return XPATH.evaluate(path, node).trim();
	}

	private static List<String> texts(Node node, String path) throws Exception {
		return nodes(node, path).stream().map(Node::getTextContent).toList();
	}

	private static List<Node> nodes(Node node, String path) throws Exception {
		NodeList found = (NodeList) XPATH.evaluate(path, node, XPathConstants.NODESET);
		List<Node> nodes = new ArrayList<>();
		for (int i = 0; i < found.getLength(); i++) {
			nodes.add(found.item(i));
		}
		return nodes;
	}

}
