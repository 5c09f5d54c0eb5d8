import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/base/json.js';

/** The result of a release's parser and linters for a stream (program/main.go). */
export interface OraclePackage {
  /** The parse error. */
  readonly parse?: string;
  /**
   * The document at which parsing stopped, if its metadata was decoded and another part was not.
   */
  readonly refused?: OracleType & { readonly meta: boolean };
  readonly metas?: readonly OracleType[];
  readonly objects?: readonly OracleObject[];
  /** Linter errors by kind of package; empty: none. */
  readonly lint?: Readonly<Record<string, string>>;
  /** Installation errors by kind of package; empty: none. */
  readonly install?: Readonly<Record<string, string>>;
  readonly meta?: OracleMeta;
}

interface OracleType {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface OracleObject extends OracleType {
  readonly name: string;
  readonly spec?: {
    readonly group?: string;
    readonly names?: OracleNames;
    readonly claimNames?: OracleNames;
    readonly version?: string;
    readonly versions?: readonly { readonly name: string }[];
  };
  /** Whether it has `metadata`, which the establisher requires. */
  readonly established: boolean;
  /** The kinds of package whose linter accepts it. */
  readonly allowed: readonly string[];
}

interface OracleNames {
  readonly kind?: string;
  readonly plural?: string;
  readonly shortNames?: readonly string[];
}

export interface OracleMeta {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly crossplane?: string;
  /** Why the package does not support the release. */
  readonly incompatible?: string;
  readonly dependsOn?: readonly { readonly entry: JsonObject; readonly constraint?: string }[];
}

export interface OracleQuestion {
  readonly constraint: string;
  readonly versions: readonly string[];
}

export interface OracleVerdict {
  readonly error?: string;
  /** A character for each version: 1 admitted, 0 not admitted, x not a version. */
  readonly admits: string;
}

export function askOracle(
  release: string,
  what: 'package',
  inputs: readonly Uint8Array[],
): OraclePackage[];
export function askOracle(
  release: string,
  what: 'semver',
  inputs: readonly Uint8Array[],
): OracleVerdict[];
export function askOracle(
  release: string,
  what: string,
  inputs: readonly Uint8Array[],
): (OraclePackage | OracleVerdict)[] {
  const framed = inputs.flatMap((input) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(input.length);
    return [size, input];
  });
  const ran = spawnSync(oraclePath(release), [what], {
    input: Buffer.concat(framed),
    maxBuffer: 2 ** 30,
  });
  if (ran.status !== 0) {
    throw new Error(`the oracle ended with ${ran.status}: ${ran.stderr?.toString() ?? ran.error}`);
  }
  const lines = ran.stdout.toString().trimEnd().split('\n');
  if (lines.length !== inputs.length) throw new Error('the oracle left inputs unanswered');
  return lines.map((line) => JSON.parse(line) as OraclePackage & OracleVerdict);
}

function oraclePath(release: string): string {
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const path = join(
    process.env['XPKG_RIG'] ?? join(caches, 'xpkg-rig'),
    'bin',
    `oracle-${release}`,
  );
  if (!existsSync(path))
    throw new Error(`there is no ${path}: run test/rig/oracle/build.sh ${release}`);
  return path;
}
