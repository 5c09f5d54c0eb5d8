import * as fc from 'fast-check';
import { DEFAULT_KNOBS, type Knobs, pick, pickFrom, sometimes } from './knobs.js';
import { publishedIn } from './universe-changes.js';
import { universe } from './universe.js';
import { isList, type JsonObject, type JsonValue } from '../../base/json.js';
import { packageName } from '../../crossplane/packages/repository-names.js';
import type {
  CompositionSpec,
  MetaDocument,
  PackageObject,
} from '../../crossplane/packages/package-contents.js';
import type { IndexVersion } from '../../sources/index/index-file.js';

/** A `package.yaml` and its expected content. */
export interface PackageStream {
  readonly text: string;
  readonly meta: MetaDocument;
  readonly objects: readonly PackageObject[];
}

export interface PackageYamlKnobs extends Knobs {
  /** Share of files in an unusual YAML style. */
  readonly spelled: number;
}

/** Draws the `package.yaml` of a version in a generated universe, in a random YAML style. */
export function packageYaml(knobs: Partial<PackageYamlKnobs> = {}): fc.Arbitrary<PackageStream> {
  const { spelled, ...rest } = { ...DEFAULT_KNOBS, spelled: 0.5, ...knobs };
  return fc
    .record({
      universe: universe({ ...rest, packages: Math.min(rest.packages, 5), versions: 1 }),
      of: pick(),
      metaAt: sometimes(0.1, pick()),
      described: sometimes(0.3, fc.constantFrom(...DESCRIPTIONS)),
      spelling: sometimes(spelled, spelling()),
    })
    .map((plan) => {
      const { repository, version } = pickFrom(plan.of, publishedIn(plan.universe))!;
      const kind = version.kind ?? plan.universe.packages[repository]!.kind;
      const meta = metaOf(repository, kind, version, plan.described);
      const objects = objectsIn(version);
      const documents = objects.map(documentOf);
      documents.splice((plan.metaAt ?? 0) % (objects.length + 1), 0, metaDocument(meta));
      return printableStream({ text: formatStream(documents, plan.spelling), meta, objects });
    });
}

const DESCRIPTIONS = [
  'Buckets, and what goes with them',
  'A platform: networks, databases\nand what they need.\n',
  '# not a comment\n---ish, and "quoted"',
];

/** Makes failure reports of fast-check print the file. */
function printableStream(stream: PackageStream): PackageStream {
  return Object.defineProperty(stream, fc.toStringMethod, { value: () => `\n${stream.text}` });
}

function metaOf(
  repository: string,
  kind: string,
  version: IndexVersion,
  description: string | undefined,
): MetaDocument {
  return {
    apiVersion: `meta.pkg.crossplane.io/${kind === 'Function' ? 'v1beta1' : 'v1'}`,
    kind,
    name: packageName(repository),
    labels: {},
    annotations: description === undefined ? {} : { 'meta.crossplane.io/description': description },
    crossplane: version.crossplane === undefined ? undefined : { version: version.crossplane },
    dependsOn: version.dependsOn ?? [],
    capabilities: [],
  };
}

function metaDocument(meta: MetaDocument): JsonObject {
  const { apiVersion = '', kind, name, annotations, crossplane, dependsOn } = meta;
  const spec: JsonObject = {
    ...(crossplane !== undefined && { crossplane }),
    ...(dependsOn.length > 0 && { dependsOn }),
    ...(kind !== 'Configuration' && { image: `registry.acme.io/${name}:latest` }),
  };
  const metadata = { name, ...(Object.keys(annotations).length > 0 && { annotations }) };
  return { apiVersion, kind, metadata, ...(Object.keys(spec).length > 0 && { spec }) };
}

function objectsIn({
  crds = [],
  xrds = [],
  compositions = [],
  compositionSpecs = {},
}: IndexVersion): PackageObject[] {
  return [
    ...crds.map((name): PackageObject => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name,
      defines: { group: groupOf(name), kind: kindNamed(name), versions: ['v1beta1', 'v1'] },
    })),
    ...xrds.map(({ name, claim }): PackageObject => ({
      apiVersion: 'apiextensions.crossplane.io/v1',
      kind: 'CompositeResourceDefinition',
      name,
      defines: { group: groupOf(name), kind: kindNamed(name), versions: ['v1alpha1'] },
      ...(claim !== undefined && { claimCrd: claim, claimKind: kindNamed(claim) }),
    })),
    ...compositions.map((name): PackageObject => ({
      apiVersion: 'apiextensions.crossplane.io/v1',
      kind: 'Composition',
      name,
      composition: compositionSpecs[name] ?? { mode: 'Pipeline', pipeline: true },
    })),
  ];
}

function documentOf(object: PackageObject): JsonObject {
  const { apiVersion = '', kind, name, defines, claimCrd, claimKind, composition } = object;
  const head = { apiVersion, kind, metadata: { name } };
  if (defines === undefined) return { ...head, spec: compositionDocument(composition) };
  return {
    ...head,
    spec: {
      group: defines.group,
      names: { kind: defines.kind, plural: pluralOf(name) },
      ...(claimCrd !== undefined && {
        claimNames: { kind: claimKind ?? '', plural: pluralOf(claimCrd) },
      }),
      versions: defines.versions.map((version) => ({ name: version, served: true })),
    },
  };
}

function compositionDocument({
  mode,
  pipeline = false,
}: Partial<CompositionSpec> = {}): JsonObject {
  const step = { step: 'compose', functionRef: { name: 'function-compose' } };
  return { ...(mode !== undefined && { mode }), ...(pipeline && { pipeline: [step] }) };
}

const pluralOf = (name: string) => name.slice(0, name.indexOf('.'));
const groupOf = (name: string) => name.slice(name.indexOf('.') + 1);

/** Returns `Bucket` for `buckets.s3.aws.upbound.io`. */
function kindNamed(name: string): string {
  const singular = pluralOf(name).replace(/ies$/, 'y').replace(/s$/, '');
  return `${singular.slice(0, 1).toUpperCase()}${singular.slice(1)}`;
}

/** Numbers that decide each choice of style, in order. The list is used cyclically. */
type Spelling = readonly number[];

/** The largest number in a `Spelling`. */
const LAST_WAY = 11;

/** Draws YAML styles. Shrinks to the style of usual tools. */
function spelling(): fc.Arbitrary<Spelling> {
  return fc.array(fc.nat({ max: LAST_WAY }), { minLength: 1, maxLength: 40, size: 'max' });
}

/** Formats documents as one stream, by default as tools do. The style changes no content. */
export function formatStream(documents: readonly JsonObject[], ways: Spelling = [0]): string {
  const writer = new Writer(ways);
  const opening = writer.pick('', '---\n', '# Code generated. DO NOT EDIT.\n---\n');
  const written = documents.map((document) => writer.document(document));
  const between = () => writer.pick('---\n', '---  \n', '---\n# ----\n---\n', '---\n\n');
  const stream = written.reduce((text, document) => `${text}${between()}${document}`);
  return `${opening}${stream}${writer.pick('', '---\n', '\n\n')}`;
}

/** Texts that are strings without quotes in YAML 1.1 and 1.2. */
const PLAIN = /^[A-Za-z][A-Za-z0-9]*(?:[./-][A-Za-z0-9]+)*$/;
const NOT_TEXT = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

class Writer {
  readonly #ways: Spelling;
  #taken = 0;

  constructor(ways: Spelling) {
    this.#ways = ways;
  }

  /** Returns the choice for the next number: the first one most often, the last one least often. */
  pick<T>(...choices: readonly [T, ...T[]]): T {
    const way = this.#ways[this.#taken++ % this.#ways.length]!;
    return choices[Math.max(0, way - (LAST_WAY + 1 - choices.length))] ?? choices[0];
  }

  document(document: JsonObject): string {
    const form = this.pick('block', 'json', 'flow');
    if (form === 'json') return `${JSON.stringify(document, undefined, 2)}\n`;
    if (form === 'flow') return `${this.#flow(document, '')}\n`;
    return this.#block(document, '', this.pick('  ', ' ', '    '));
  }

  /** Formats a value as complete lines. */
  #block(value: JsonValue, indent: string, step: string): string {
    if (isList(value)) return value.map((item) => this.#item(item, indent, step)).join('');
    return Object.entries(value as JsonObject)
      .map(([key, member]) => {
        const comment = this.pick('', `${indent}# as generated\n`, '\n');
        return `${comment}${indent}${this.#scalar(key)}:${this.#member(member, indent, step)}`;
      })
      .join('');
  }

  #member(value: JsonValue, indent: string, step: string): string {
    if (!isCollection(value)) return ` ${this.#text(value, `${indent}${step}`)}\n`;
    if (isEmpty(value) || this.pick('block', 'flow') === 'flow')
      return ` ${this.#flow(value, indent)}\n`;
    const deeper = isList(value) ? this.pick('', step) : step;
    return `${this.pick('', ' # below')}\n${this.#block(value, `${indent}${deeper}`, step)}`;
  }

  #item(value: JsonValue, indent: string, step: string): string {
    if (!isCollection(value)) return `${indent}- ${this.#scalar(value)}\n`;
    if (isEmpty(value) || isList(value)) return `${indent}- ${this.#flow(value, indent)}\n`;
    const block = this.#block(value, `${indent}  `, step);
    return block.trimStart().startsWith('#') || block.startsWith('\n')
      ? `${indent}-\n${block}`
      : `${indent}- ${block.slice(indent.length + 2)}`;
  }

  /** Formats a scalar at the end of a line. Its further lines are indented. */
  #text(value: JsonValue, indent: string): string {
    const lines = typeof value === 'string' ? value.split('\n') : [];
    const literal = lines.length > 1 && !lines[0]!.startsWith(' ') && lines.at(-1) !== '';
    if (literal && this.pick('literal', 'quoted') === 'literal')
      return `|-\n${lines.map((line) => `${indent}${line}`).join('\n')}`;
    return `${this.#scalar(value)}${this.pick('', ' # here')}`;
  }

  #scalar(value: JsonValue): string {
    if (typeof value !== 'string') return JSON.stringify(value);
    const single = `'${value.replaceAll("'", "''")}'`;
    if (value.includes('\n')) return JSON.stringify(value);
    if (!PLAIN.test(value) || NOT_TEXT.test(value)) return this.pick(JSON.stringify(value), single);
    return this.pick(value, JSON.stringify(value), single);
  }

  #flow(value: JsonValue, indent: string): string {
    if (!isCollection(value)) return JSON.stringify(value);
    const gap = this.pick(' ', `\n${indent}  `);
    if (isList(value)) return `[${value.map((item) => this.#flow(item, indent)).join(`,${gap}`)}]`;
    const members = Object.entries(value).map(
      ([key, member]) => `${JSON.stringify(key)}: ${this.#flow(member, indent)}`,
    );
    return `{${members.join(`,${gap}`)}}`;
  }
}

function isCollection(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  return typeof value === 'object' && value !== null;
}

function isEmpty(value: JsonObject | readonly JsonValue[]): boolean {
  return Object.keys(value).length === 0;
}
