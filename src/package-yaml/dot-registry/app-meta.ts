import { DOT_REGISTRY_API } from '../../model/dot-registry.js';
import type { MetaDocument, StreamProblem } from '../../model/package-contents.js';
import { isList, listOf, mappingOf, stringOf, type JsonObject } from '../../text/json.js';
import { linesOf } from '../meta-document.js';
import { mustBe } from '../identity.js';
import type { OneDocument } from './one-document.js';

/** An app.yaml as the meta document that today's packages have. */
interface AppMeta {
  readonly meta: MetaDocument;
  readonly warnings: readonly StreamProblem[];
}

/** Values that the format knows, by field. */
const KNOWN_VALUES: Readonly<Record<string, readonly string[]>> = {
  packageType: ['Provider', 'Stack', 'Application', 'Addon'],
  permissionScope: ['Cluster', 'Namespaced'],
};

/**
 * Such a package installs CRDs and runs a controller for them, whatever its `packageType`; of the
 * kinds that there are today, a Provider alone may do either.
 */
export function appMeta({ value, document, line }: OneDocument): AppMeta {
  const title = stringOf(value['title']) ?? '';
  const meta: MetaDocument = {
    apiVersion: DOT_REGISTRY_API,
    kind: 'Provider',
    name: nameFrom(title),
    labels: {},
    annotations: annotationsOf(value),
    crossplane: undefined,
    dependsOn: listOf(value['dependsOn']) ?? [],
    capabilities: [],
    dependsOnLines: linesOf(document, ['dependsOn'], line),
    line,
    decodeError: decodeError(value),
  };
  return { meta, warnings: unknownValues(value, line) };
}

const MAX_NAME_LENGTH = 63;

/** A name for an object, from a title for people. */
function nameFrom(title: string): string {
  const words = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return words.slice(0, MAX_NAME_LENGTH).replaceAll(/^-+|(?<!-)-+$/g, '') || 'package';
}

/** What today's registries and consoles show of a package, by the annotation that they look for. */
function annotationsOf(value: JsonObject): Readonly<Record<string, string>> {
  const text = (field: string) => stringOf(value[field])?.trim() || undefined;
  const found: Readonly<Record<string, string | undefined>> = {
    'friendly-name.meta.crossplane.io': text('title'),
    'meta.crossplane.io/description': text('overview') ?? text('overviewShort'),
    'meta.crossplane.io/license': text('license'),
    'meta.crossplane.io/maintainer': peopleIn(value['maintainers']),
    'meta.crossplane.io/readme': text('readme'),
    'meta.crossplane.io/source': text('source'),
  };
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** `Ada <ada@example.org>, Grace`; undefined: none is named. */
function peopleIn(written: JsonObject[string] | undefined): string | undefined {
  const people = (listOf(written) ?? []).flatMap((each) => {
    const person = mappingOf(each) ?? {};
    const [name, email] = [stringOf(person['name']), stringOf(person['email'])];
    if (email === undefined) return name ?? [];
    return name === undefined ? email : `${name} <${email}>`;
  });
  return people.length === 0 ? undefined : people.join(', ');
}

function decodeError(value: JsonObject): string | undefined {
  const { title = null, dependsOn = null } = value;
  if (title !== null && typeof title !== 'string') return mustBe('a string', 'title', title);
  if (dependsOn !== null && !isList(dependsOn)) return mustBe('a list', 'dependsOn', dependsOn);
  return undefined;
}

function unknownValues(value: JsonObject, line: number): StreamProblem[] {
  return Object.entries(KNOWN_VALUES).flatMap(([field, known]) => {
    const written = value[field] ?? null;
    if (written === null || (typeof written === 'string' && known.includes(written))) return [];
    const message = `\`${field}\` is none of ${known.map((each) => `\`${each}\``).join(', ')}`;
    return [{ message, line }];
  });
}
