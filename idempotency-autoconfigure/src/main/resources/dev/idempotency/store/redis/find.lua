local record = readAll()
return record and describe(record) or {}
