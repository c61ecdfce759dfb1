/**
 * What the README's quick start shows, as the compiler checks it here.
 */
@NullMarked
package com.example.demo;

import org.jspecify.annotations.NullMarked;
