// Cut of Discord's published contract, on standard output: the operations and events named on standard input.
//
// REST: the operations of `discord-api-spec` (types of paths, zod schemas of bodies), which its author makes daily from
// Discord's OpenAPI description. Gateway: the types of `discord-api-types`. Both become JSON Schema in one `$defs`.
// Run by `renew.py`, in a folder that has both packages, `zod` and `typescript`.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(path.join(process.cwd(), "here.js"));
const ts = require("typescript");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const packageOf = (name) => path.join(process.cwd(), "node_modules", name);
const versionOf = (name) => JSON.parse(fs.readFileSync(path.join(packageOf(name), "package.json"), "utf8")).version;

const wanted = JSON.parse(fs.readFileSync(0, "utf8"));
const defs = {};
const shapeOf = (template) => template.replace(/\{[^}]+\}/g, "{}");

// REST

const z = await load("zod");
const spec = await import(pathToFileURL(path.join(packageOf("discord-api-spec"), "build/discord-api-spec.zod.js")).href);
const registry = z.registry();
for (const [name, schema] of Object.entries(spec)) if (name.endsWith("Schema")) registry.add(schema, { id: name.slice(0, -6) });
const bodies = z.toJSONSchema(registry, { io: "input", uri: (id) => `#/$defs/rest.${id}`, unrepresentable: "any" }).schemas;

function tidied(schema) {
  if (Array.isArray(schema)) return schema.map(tidied);
  if (schema === null || typeof schema !== "object") return schema;
  const kept = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$schema" || key === "$id") continue;
    if (key === "pattern" && schema.format) continue; // zod's own idea of dates: no offset from UTC
    if (["minimum", "maximum"].includes(key) && Math.abs(value) >= 2 ** 31 - 1) continue; // widths of integers
    kept[key] = tidied(value);
  }
  return kept;
}

function restRef(name) {
  const key = `rest.${name}`;
  if (!(key in defs)) {
    if (!(name in bodies)) throw new Error(`no schema of ${name}`);
    defs[key] = {};
    defs[key] = tidied(bodies[name]);
    JSON.stringify(defs[key], (k, v) => (k === "$ref" ? (restRef(v.split("/$defs/rest.")[1]), v) : v));
  }
  return { $ref: `#/$defs/${key}` };
}

function fromNode(node) {
  switch (node.kind) {
    case ts.SyntaxKind.StringKeyword: return { type: "string" };
    case ts.SyntaxKind.NumberKeyword: return { type: "number" };
    case ts.SyntaxKind.BooleanKeyword: return { type: "boolean" };
    case ts.SyntaxKind.UnknownKeyword: return {};
    case ts.SyntaxKind.ParenthesizedType: return fromNode(node.type);
    case ts.SyntaxKind.ArrayType: return { type: "array", items: fromNode(node.elementType) };
    case ts.SyntaxKind.UnionType: return { anyOf: node.types.map(fromNode) };
    case ts.SyntaxKind.IntersectionType: return { allOf: node.types.map(fromNode) };
    case ts.SyntaxKind.LiteralType:
      if (node.literal.kind === ts.SyntaxKind.NullKeyword) return { type: "null" };
      return { const: JSON.parse(node.literal.getText().replace(/^'(.*)'$/, '"$1"')) };
    case ts.SyntaxKind.TypeReference: {
      const name = node.typeName.getText();
      if (name === "Record") return { type: "object", additionalProperties: fromNode(node.typeArguments[1]) };
      if (name === "Array") return { type: "array", items: fromNode(node.typeArguments[0]) };
      if (name === "File" || name === "Blob") return {};
      return restRef(name);
    }
    case ts.SyntaxKind.TypeLiteral: {
      const members = node.members.filter(ts.isPropertySignature);
      const required = members.filter((m) => !m.questionToken).map((m) => m.name.text);
      const properties = Object.fromEntries(members.map((m) => [m.name.text, fromNode(m.type)]));
      return { type: "object", properties, ...(required.length && { required }) };
    }
  }
  throw new Error(`a type that is not understood: ${node.getText()}`);
}

const membersOf = (node) => Object.fromEntries((node.members ?? []).map((m) => [m.name.text, m.type]));

function operations() {
  const file = path.join(packageOf("discord-api-spec"), "build/discord-api-spec.ts");
  const source = ts.createSourceFile(file, fs.readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const paths = source.statements.find((s) => s.name?.text === "Paths");
  const known = {};
  for (const [template, type] of Object.entries(membersOf(paths.type ?? paths)))
    for (const [method, operation] of Object.entries(membersOf(type)))
      known[`${method.toUpperCase()} ${shapeOf(template)}`] ??= [template, operation];
  const cut = {};
  for (const [method, template] of wanted.operations) {
    const entry = known[`${method} ${shapeOf(template)}`];
    if (!entry) continue;
    const { parameters, requestBody, responses } = membersOf(entry[1]);
    const query = membersOf(parameters).query;
    const responded = Object.entries(membersOf(responses));
    cut[`${method} ${entry[0]}`] = {
      query: query.kind === ts.SyntaxKind.NeverKeyword ? { type: "object", properties: {} } : fromNode(query),
      body: requestBody.kind === ts.SyntaxKind.UndefinedKeyword ? null : fromNode(requestBody),
      answers: Object.fromEntries(responded.map(([status, t]) => [status, t.kind === ts.SyntaxKind.UnknownKeyword ? null : fromNode(t)])),
    };
  }
  return cut;
}

// gateway

const entry = path.join(packageOf("discord-api-types"), "gateway/v10.d.ts");
const program = ts.createProgram([entry], { strict: true, noEmit: true, exactOptionalPropertyTypes: true, moduleResolution: ts.ModuleResolutionKind.NodeNext, module: ts.ModuleKind.NodeNext });
const checker = program.getTypeChecker();
const exported = new Map(checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry))).map((s) => [s.name, s]));
const declared = (name) => checker.getDeclaredTypeOfSymbol(exported.get(name));
const names = new Map();
const has = (type, flag) => (type.flags & flag) !== 0;

function named(type, make) {
  if (!names.has(type)) {
    const base = `gateway.${(type.aliasSymbol ?? type.symbol).name.replace(/\W/g, "")}`;
    let key = base;
    for (let n = 2; key in defs; n += 1) key = `${base}.${n}`;
    names.set(type, key);
    defs[key] = {};
    defs[key] = make();
  }
  return { $ref: `#/$defs/${names.get(type)}` };
}

function enumOf(type) {
  const symbol = type.symbol?.flags & ts.SymbolFlags.EnumMember ? type.symbol.parent : type.symbol;
  return symbol?.flags & ts.SymbolFlags.Enum ? symbol.name : "";
}

const sharedNames = new Map();

function shared(schema) {
  const text = JSON.stringify(schema);
  if (text.length < 400) return schema;
  if (!sharedNames.has(text)) {
    sharedNames.set(text, `gateway.${sharedNames.size + 1}`);
    defs[sharedNames.get(text)] = schema;
  }
  return { $ref: `#/$defs/${sharedNames.get(text)}` };
}

const isNamed = (type) => type.aliasSymbol || (type.symbol && !["__type", "__object"].includes(type.symbol.name));

function fromType(type) {
  const F = ts.TypeFlags;
  if (has(type, F.Any | F.Unknown)) return {};
  if (has(type, F.Null | F.Never | F.Undefined)) return { type: "null" };
  if (has(type, F.EnumLiteral) && /Flags$/.test(enumOf(type))) return { type: "integer" };
  if (has(type, F.EnumLiteral) && type.isUnion()) return { enum: type.types.map((t) => t.value) };
  if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
  if (has(type, F.BooleanLiteral)) return { const: type.intrinsicName === "true" };
  if (has(type, F.Boolean)) return { type: "boolean" };
  if (has(type, F.String | F.TemplateLiteral)) return { type: "string" };
  if (has(type, F.Number)) return { type: "number" };
  if (type.isUnion()) return type.aliasSymbol && type.types.some((t) => has(t, F.Object)) ? named(type, () => fromUnion(type)) : fromUnion(type);
  if (checker.isTupleType(type)) return { type: "array", prefixItems: checker.getTypeArguments(type).map(fromType) };
  if (checker.isArrayType(type)) return { type: "array", items: fromType(checker.getTypeArguments(type)[0]) };
  return isNamed(type) && !["Record", "Partial", "Pick", "Omit"].includes(type.aliasSymbol?.name) ? named(type, () => fromObject(type)) : fromObject(type);
}

function fromUnion(type) {
  const F = ts.TypeFlags;
  const members = type.types.filter((t) => !has(t, F.Undefined | F.Void) && checker.typeToString(t) !== "never");
  if (members.length && members.every((t) => /Flags$/.test(enumOf(t)))) return { type: "integer" };
  const booleans = members.filter((t) => has(t, F.BooleanLiteral));
  const literals = members.filter((t) => t.isStringLiteral() || t.isNumberLiteral() || has(t, F.EnumLiteral) && !t.isUnion());
  const others = members.filter((t) => !booleans.includes(t) && !literals.includes(t)).map(fromType);
  if (booleans.length === 2) others.push({ type: "boolean" });
  else others.push(...booleans.map(fromType));
  if (literals.length) others.push({ enum: literals.map((t) => t.value) });
  return others.length === 1 ? others[0] : shared({ anyOf: others });
}

function fromObject(type) {
  const properties = {};
  const required = [];
  for (const property of checker.getPropertiesOfType(type)) {
    if (property.name.startsWith("__")) continue;
    const node = property.valueDeclaration?.type ?? property.declarations?.[0]?.type;
    const spelled = node && ts.isTypeReferenceNode(node) ? node.typeName.getText() : "";
    properties[property.name] = spelled === "Snowflake" ? { $ref: "#/$defs/gateway.Snowflake" } : fromType(checker.getTypeOfSymbol(property));
    if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name);
  }
  const index = checker.getIndexInfosOfType(type)[0];
  return {
    type: "object",
    ...(Object.keys(properties).length && { properties }),
    ...(required.length && { required }),
    ...(index && { additionalProperties: fromType(index.type) }),
  };
}

const partOf = (type, name) => {
  const symbol = checker.getPropertyOfType(type, name);
  return symbol && checker.getTypeOfSymbol(symbol);
};
const literalsOf = (type) => (type.isUnion() ? type.types : [type]).map((t) => t.value);

function events() {
  defs["gateway.Snowflake"] = { type: "string", pattern: "^(0|[1-9][0-9]*)$" };
  const cut = {};
  for (const payload of declared("GatewayDispatchPayload").types)
    for (const name of literalsOf(partOf(payload, "t")))
      if (wanted.events.includes(name)) cut[name] = fromType(partOf(payload, "d"));
  return cut;
}

function frames(union, ops) {
  const cut = {};
  for (const payload of declared(union).types) {
    const data = partOf(payload, "d");
    for (const op of literalsOf(partOf(payload, "op"))) if (ops.includes(op)) cut[op] = data ? fromType(data) : { type: "null" };
  }
  return cut;
}

const cut = {
  versions: Object.fromEntries(["discord-api-spec", "discord-api-types"].map((name) => [name, versionOf(name)])),
  operations: operations(),
  events: events(),
  sent: frames("GatewaySendPayload", [1, 2, 3, 6, 8]),
  received: frames("GatewayReceivePayload", [1, 7, 9, 10, 11]),
};
const lines = (value) => `{\n${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${JSON.stringify(value[key])}`).join(",\n")}\n}`;
process.stdout.write(`{\n${[...Object.entries(cut), ["$defs", defs]].map(([key, value]) => `"${key}":${lines(value)}`).join(",\n")}\n}\n`);
