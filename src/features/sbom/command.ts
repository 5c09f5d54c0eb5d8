import { sourceDate, toolVersion } from '../../cli/terminal/environment.js';
import { defineCommand } from '../../cli/kit/command.js';
import { lockFlag } from '../../cli/arguments/common-flags.js';
import { networkFlags } from '../../cli/sources/network-flags.js';
import { readRequiredLock } from '../../cli/files/lock-file.js';
import type { SbomSubject } from './subject.js';

/** `sbom`: the locked packages as a bill of materials. */
export const sbomCommand = defineCommand({
  positionals: {},
  flags: {
    output: {
      alias: 'o',
      choices: ['cyclonedx', 'spdx'],
      default: 'cyclonedx',
      describe: 'Format: CycloneDX 1.6 or SPDX 2.3, as JSON',
    },
    name: { describe: 'What the set is called in it (default: crossplane-packages)' },
    ...lockFlag('Lockfile to list'),
    ...networkFlags,
  },
  examples: [
    ['$0 sbom > sbom.cdx.json', 'CycloneDX'],
    ['$0 sbom -o spdx > sbom.spdx.json', 'SPDX'],
  ],
  epilogue:
    'Packages are images, by digest; who requires whom, and what each owns, is in it. The same ' +
    'lockfile makes the same bytes: a date is in it only where SOURCE_DATE_EPOCH says one.',
  run: async (args, io): Promise<SbomSubject> => {
    const lock = await readRequiredLock(args, io);
    const date = sourceDate(io);
    return {
      ...lock,
      name: args.name ?? 'crossplane-packages',
      created: date === undefined ? undefined : new Date(date),
      tool: toolVersion(),
    };
  },
  text: async (subject, { output }) =>
    output === 'spdx'
      ? (await import('./spdx.js')).spdx(subject)
      : (await import('./cyclonedx.js')).cyclonedx(subject),
});
