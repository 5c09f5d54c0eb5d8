import type { PackageObject } from '../model/package-contents.js';
import type { Finding } from '../model/package-meta.js';
import { warningFinding } from './finding.js';

/** What API servers take for a short name: a DNS-1035 label. */
const SHORT_NAME = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** Short names that the API server refuses, or that two CRDs of one group share. */
export function shortNameAdvice(objects: readonly PackageObject[]): Finding[] {
  const holders = new Map<string, string>();
  return objects.flatMap(({ name, defines, line }) =>
    (defines?.shortNames ?? []).flatMap((shortName): Finding[] => {
      if (!SHORT_NAME.test(shortName)) {
        const message = `\`${name}\` has the short name \`${shortName}\`; the API server takes lower-case letters, digits and \`-\`, beginning with a letter`;
        return [warningFinding('short-name', message, line)];
      }
      const key = `${shortName}.${defines!.group}`;
      const holder = holders.get(key) ?? name;
      holders.set(key, holder);
      if (holder === name) return [];
      const message = `\`${holder}\` and \`${name}\` both have the short name \`${shortName}\` in group \`${defines!.group}\`; the API server accepts the names of one of them (NamesAccepted=False on the other); rename one`;
      return [warningFinding('short-name', message, line)];
    }),
  );
}
