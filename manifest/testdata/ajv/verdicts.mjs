// Reads a schema and documents, one JSON text a line, and prints a line of one digit
// for each: 1 where the document is valid. What is not JSON to JavaScript is "x".
import { createInterface } from "node:readline";
import { createReadStream, readFileSync } from "node:fs";
import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020.js";

const [schemaFile, documents] = process.argv.slice(2);
const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
const Class = schema.$schema.includes("draft-07") ? Ajv : Ajv2020;
const ajv = new Class({ strict: false, validateFormats: false, logger: false });
const validate = ajv.compile(schema);
let out = "";
for await (const line of createInterface({ input: createReadStream(documents), crlfDelay: Infinity })) {
  if (line === "") continue;
  try {
    out += validate(JSON.parse(line)) ? "1" : "0";
  } catch {
    out += "x";
  }
}
process.stdout.write(out + "\n");
