import type { PackageContents } from '../../model/package-contents.js';
import type { TargetRules } from '../../model/target/target.js';
import type { DiskCache } from '../../store/disk-cache.js';
import { fieldsOf } from '../../text/json.js';
import type { LocatedPackage } from '../../image/locate-package.js';
import type { ReadPackage } from '../../image/read-package.js';

type Read = Extract<ReadPackage<PackageContents>, { status: 'read' }>;

/** To be raised when what is made of a package.yaml changes between two releases. */
const PARSER_VERSION = 1;

/** What was made of images before, so that no layer is unpacked and parsed twice. */
export interface ParsedPackages {
  /** What `read` made of the same layer under the same rules, or what it makes of it now. */
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
      // Its checksum says that this tool wrote it, in this version: it is what was kept below.
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
 * What the answer is made from: one layer, or all of an image; undefined: nothing is read. A size
 * that the layer has not got is found out by reading it.
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

/** JSON has no infinity; YAML has. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((inner) => isJson(inner));
}
