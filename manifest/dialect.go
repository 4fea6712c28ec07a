package manifest

// shape is what a keyword of JSON Schema asks of its value.
type shape int

const (
	shapeAny shape = iota // an unknown keyword, too
	shapeText
	shapePattern
	shapeBoolean
	shapeNumber
	shapePositive // above 0
	shapeCount    // 0 or a larger integer
	shapeArray
	shapeNames // an array of different strings
	shapeNameMap
	shapeType
	shapeDialect // $schema
	shapeID
	shapeAnchor
	shapeRef
	shapeVocabulary
	shapeSchema
	shapeList // an array of schemas, at least one
	shapeMap  // an object of schemas
	shapeDependencies
)

// dialect is what the metaschema of 2020-12 says of each keyword. Holding a schema
// against the metaschema itself takes the library a tenth of a millisecond and more
// for each schema in it; a test holds this table against it.
var dialect = map[string]shape{
	"$schema": shapeDialect, "$id": shapeID, "$anchor": shapeAnchor, "$dynamicAnchor": shapeAnchor,
	"$ref": shapeRef, "$dynamicRef": shapeRef, "$vocabulary": shapeVocabulary, "$comment": shapeText,
	"$recursiveRef": shapeText, "$recursiveAnchor": shapeAnchor,

	"title": shapeText, "description": shapeText, "format": shapeText, "contentEncoding": shapeText, "contentMediaType": shapeText,
	"pattern":    shapePattern,
	"deprecated": shapeBoolean, "readOnly": shapeBoolean, "writeOnly": shapeBoolean, "uniqueItems": shapeBoolean,
	"minimum": shapeNumber, "maximum": shapeNumber, "exclusiveMinimum": shapeNumber, "exclusiveMaximum": shapeNumber, "multipleOf": shapePositive,
	"minLength": shapeCount, "maxLength": shapeCount, "minItems": shapeCount, "maxItems": shapeCount,
	"minProperties": shapeCount, "maxProperties": shapeCount, "minContains": shapeCount, "maxContains": shapeCount,
	"required": shapeNames, "dependentRequired": shapeNameMap, "type": shapeType, "enum": shapeArray, "examples": shapeArray,

	"items": shapeSchema, "additionalProperties": shapeSchema, "unevaluatedItems": shapeSchema, "unevaluatedProperties": shapeSchema,
	"contains": shapeSchema, "propertyNames": shapeSchema, "not": shapeSchema, "if": shapeSchema, "then": shapeSchema, "else": shapeSchema,
	"contentSchema": shapeSchema,
	"allOf":         shapeList, "anyOf": shapeList, "oneOf": shapeList, "prefixItems": shapeList,
	"properties": shapeMap, "patternProperties": shapeMap, "$defs": shapeMap, "definitions": shapeMap, "dependentSchemas": shapeMap,
	"dependencies": shapeDependencies,
}
