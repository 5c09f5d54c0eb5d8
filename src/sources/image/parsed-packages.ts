import type { PackageContents } from '../../model/package-contents.js';
import type { TargetRules } from '../../model/target/target.js';
import type { DiskCache } from '../../store/disk-cache.js';
import { fieldsOf } from '../../text/json.js';
import type { LocatedPackage } from '../../image/locate-package.js';
import type { ReadPackage } from '../../image/read-package.js';

type Read = Extract<ReadPackage<PackageContents>, { status: 'read' }>;

/** Raise it when parsing a package.yaml gives another result than before. */
const PARSER_VERSION = 5;

/** Packages that earlier runs have parsed, so that no layer is unpacked and parsed twice. */
export interface ParsedPackages {
  /** The remembered result of `read` for this layer and these rules, or that of calling it now. */
  find(
    located: LocatedPackage,
    rules: Pick<TargetRules, 'tarEntry'>,
    read: () => Promise<ReadPackage<PackageContents>>,
  ): Promise<ReadPackage<PackageContents>>;
}

export function parsedPackages(cache: DiskCache, toolVersion: string): ParsedPackages {
  return {
    find: async (located, { tarEntry }, read) => {
      const bytes = bytesOf(located);
      if (bytes === undefined) return read();
      const question = JSON.stringify([bytes, tarEntry, PARSER_VERSION, toolVersion]);
      const known = await cache.record('packages', question);
      // The cast is safe: the key names this version of the tool, and a checksum guards the record.
      if (fieldsOf(known)?.get('question') === question) return (known as { read: Read }).read;
      const made = await read();
      if (made.status === 'read' && isJson(made)) {
        await cache.keepRecord('packages', question, { question, read: made });
      }
      return made;
    },
  };
}

/**
 * The bytes that a package is parsed from: one layer, or a whole image; undefined: none are read. The
 * size is part of it, so that a wrong size in a manifest is found by reading the layer.
 */
function bytesOf({
  at,
  digest,
  manifest,
}: LocatedPackage): readonly (string | number)[] | undefined {
  if (at.place === 'refused') return undefined;
  return at.place === 'layer'
    ? ['layer', at.layer.digest, at.layer.size]
    : ['image', manifest ?? digest];
}

/** Whether JSON can hold a value: YAML has -0, and JSON as JavaScript writes it has not. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((inner) => isJson(inner));
}
