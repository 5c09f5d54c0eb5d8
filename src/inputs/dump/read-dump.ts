import type {
  ClusterDump,
  DumpedActivation,
  DumpedLock,
  DumpedPackage,
  DumpedRevision,
} from '../../model/cluster/cluster-dump.js';
import { formatOrigin, InputError } from '../../model/input-error.js';
import { isPackageKind, type Origin } from '../../model/package.js';
import type { KeptObject } from '../../model/request.js';
import {
  isList,
  isMapping,
  mappingOf,
  parseJson,
  stringOf,
  type JsonObject,
} from '../../text/json.js';
import { parseDocuments } from '../document.js';
import { DumpCutter } from './cut-dump.js';
import type { DumpPiece } from './dump-piece.js';
import {
  dumpedActivation,
  dumpedClaim,
  dumpedKept,
  dumpedLock,
  dumpedPackage,
  dumpedRevision,
  dumpedRelease,
} from './dumped-objects.js';

/** What one file, or standard input, holds. */
export interface DumpText {
  /** As the user would write its path; `-` for standard input. */
  readonly file: string;
  readonly text: string;
}

/** Reads dumps that are at hand as a whole; see `DumpReader`. */
export function readDump(texts: readonly DumpText[]): ClusterDump {
  const reader = new DumpReader();
  for (const { file, text } of texts) {
    const taking = reader.file(file);
    taking.push(text);
    taking.end();
  }
  return reader.dump;
}

/** Kinds of which something is kept; all others are passed over as text. */
const READ: ReadonlySet<string> = new Set([
  ...['Provider', 'Configuration', 'Function'].flatMap((kind) => [kind, `${kind}Revision`]),
  'Lock',
  'ImageConfig',
  'DeploymentRuntimeConfig',
  'ManagedResourceActivationPolicy',
  'CompositeResourceDefinition',
  'Deployment',
  'List',
]);

/** Takes what a file holds, in chunks. */
export interface DumpTaker {
  push(chunk: string): void;
  end(): void;
}

/**
 * Reads dumps of one cluster: documents or Lists, YAML or JSON, in any number of files, an object at a time.
 *
 * What an object lacks is left out, for a cluster may hold anything; only what is no dump, is cut
 * short, or is of two clusters is an `InputError`, and none repeats what the dump says.
 */
export class DumpReader {
  readonly #packages: DumpedPackage[] = [];
  readonly #revisions: DumpedRevision[] = [];
  readonly #kept: KeptObject[] = [];
  readonly #activations: DumpedActivation[] = [];
  readonly #claims = new Map<string, string>();
  readonly #passedOver = new Map<string, number>();
  /** By kind and name, where an object is and by which uid. */
  readonly #seen = new Map<string, { readonly uid: string | undefined; readonly origin: Origin }>();
  #lock: DumpedLock | undefined;
  #crossplane: ClusterDump['crossplane'];

  get dump(): ClusterDump {
    return {
      packages: this.#packages,
      revisions: this.#revisions,
      lock: this.#lock,
      kept: this.#kept,
      activations: this.#activations,
      crossplane: this.#crossplane,
      claims: this.#claims,
      passedOver: this.#passedOver,
    };
  }

  file(file: string): DumpTaker {
    const cutter = new DumpCutter(file);
    const take = (pieces: Iterable<DumpPiece>) => {
      for (const piece of pieces) this.#add(piece, file);
    };
    return { push: (chunk) => take(cutter.push(chunk)), end: () => take(cutter.end()) };
  }

  #add({ text, line, kind }: DumpPiece, file: string): void {
    if (kind !== undefined && !READ.has(kind)) {
      this.#passOver(kind);
      return;
    }
    const origin = { file, line };
    // Who wrote a package object matters, and these are small.
    const isSmall = kind === undefined || isPackageKind(kind);
    const read = isSmall ? text : withoutManagedFields(text);
    for (const value of valuesIn(read, origin)) this.#addObject(value, origin);
  }

  #addObject(value: unknown, origin: Origin): void {
    if (!isMapping(value)) {
      throw new InputError('is no dump of Kubernetes objects', {
        origin,
        hint: 'it takes what `kubectl get … -o yaml` or `-o json` prints',
      });
    }
    const { kind, items } = value;
    if (typeof kind === 'string' && kind.endsWith('List') && isList(items)) {
      for (const item of items) this.#addObject(item, origin);
    } else if (!this.#isRepeated(value, origin)) this.#keep(value, origin);
  }

  #keep(object: JsonObject, origin: Origin): void {
    const kind = stringOf(object['kind']) ?? 'an object without a kind';
    const [group, version] = (stringOf(object['apiVersion']) ?? '').split('/');
    const type = version === undefined ? kind : `${group} ${kind}`;
    const of = kind.replace(/Revision$/, '');
    if (group === 'pkg.crossplane.io' && isPackageKind(kind)) {
      this.#packages.push(detached(dumpedPackage(object, kind, origin)));
    } else if (group === 'pkg.crossplane.io' && isPackageKind(of)) {
      this.#revisions.push(detached(dumpedRevision(object, of, origin)));
    } else if (type === 'pkg.crossplane.io Lock') {
      this.#lock = detached(dumpedLock(object, origin));
    } else if (
      type === 'pkg.crossplane.io ImageConfig' ||
      type === 'pkg.crossplane.io DeploymentRuntimeConfig'
    ) {
      this.#kept.push(detached(dumpedKept(object, origin)));
    } else if (type === 'apiextensions.crossplane.io ManagedResourceActivationPolicy') {
      this.#activations.push(detached(dumpedActivation(object, origin)));
    } else if (type === 'apiextensions.crossplane.io CompositeResourceDefinition') {
      const claim = detached(dumpedClaim(object));
      if (claim !== undefined) this.#claims.set(claim.xrd, claim.claim);
    } else if (type === 'apps Deployment') {
      const release = detached(dumpedRelease(object));
      if (release !== undefined) this.#crossplane = { version: release, origin };
    } else this.#passOver(kind);
  }

  #passOver(kind: string): void {
    this.#passedOver.set(kind, (this.#passedOver.get(kind) ?? 0) + 1);
  }

  /** Whether the object was read before: `kubectl get pkg,providers` prints providers twice. */
  #isRepeated(object: JsonObject, origin: Origin): boolean {
    const { name, namespace, uid } = mappingOf(object['metadata']) ?? {};
    const [group] = (stringOf(object['apiVersion']) ?? '').split('/');
    const key = JSON.stringify([group, object['kind'], namespace, name]);
    const before = this.#seen.get(key);
    if (before === undefined) {
      this.#seen.set(key, { uid: detached(stringOf(uid)), origin });
      return false;
    }
    if (before.uid === stringOf(uid)) return true;
    throw new InputError(
      `this object is at ${formatOrigin(before.origin)}, too, with another uid: the dumps are of two clusters`,
      { origin, hint: 'give dumps of one cluster at a time' },
    );
  }
}

/** A copy: what is cut out of a text keeps all of the text in memory. */
function detached<T>(value: T): T {
  return structuredClone(value);
}

/** The block of `managedFields`, often larger than all else, at the column below `metadata:`. */
const MANAGED_FIELDS = /^( +)managedFields:[ \t\r]*\n(?:\1[ -] [^\n]*\n)*/m;

function withoutManagedFields(text: string): string {
  const column = /^ *(?=metadata:[ \t\r]*$)/m.exec(text)?.[0].length;
  const found = MANAGED_FIELDS.exec(text);
  if (column === undefined || found?.[1]!.length !== column + 2) return text;
  return text.slice(0, found.index) + text.slice(found.index + found[0].length);
}

function valuesIn(text: string, { file, line }: Origin): readonly unknown[] {
  const json = text.startsWith('{') ? parseJson(text) : undefined;
  if (json !== undefined) return [json.value];
  try {
    return parseDocuments(text, file, line).map(({ value }) => value);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // The message would show the line.
    throw new InputError(
      'is not valid YAML or JSON; what it says is not shown, for it may be secret',
      {
        origin: error.origin,
        hint: 'dump it again with `kubectl get … -o yaml`',
      },
    );
  }
}
