import { noStats } from '../../resolver/driver/read-stats.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { InputError } from '../../base/errors.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import { targetFor } from '../../crossplane/releases/target.js';
import { imageConfigsIn, rewrittenImage } from '../../crossplane/package-manager/image-config.js';
import { closureImages } from './lockfile-images.js';
import { mirrorConfigs, mirrorRules, parseMirror, type Mirror } from './mirror-rules.js';
import { copyToMirror, planMirror, type MirroredImage } from './mirror.js';
import type { JsonObject } from '../../base/json.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import { command, type ArgsOf, type Flags, EXIT } from '../../cli/kit/command.js';
import {
  lockFlag,
  keepHostFlag,
  signaturesFlag,
  outputFlag,
} from '../../cli/arguments/common-flags.js';
import { BULK_TIMEOUT_S, timeoutFlag } from '../../cli/sources/network-flags.js';
import { openEach, sourceFlags } from '../../cli/sources/source-flags.js';
import { isBundleFile, lockInBundle } from './bundle-file-command.js';
import type { Io } from '../../cli/terminal/io.js';
import { extraManifestsIn, requireLock } from '../../cli/files/lock-file.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { registriesFor } from '../../cli/sources/registries.js';
import { counted } from '../../cli/terminal/package-text.js';
import { reportMismatches } from '../../cli/files/mismatches.js';
import {
  size,
  COPY_TOOLS,
  copyCommands,
  mirrorJson,
  mirrorText,
  type MirrorReport,
} from './output.js';

const flags = {
  to: {
    type: 'string',
    describe: 'Registry to copy to, and a path below it if need be: mirror.example.org/team',
  },
  ...keepHostFlag,
  ...signaturesFlag,
  overwrite: {
    type: 'boolean',
    default: false,
    describe: 'Give tags that the mirror has for other images to those that are locked',
  },
  secret: {
    type: 'string',
    describe:
      'Name of the Secret with which the cluster pulls from the mirror, for the ImageConfig',
  },
  'dry-run': {
    type: 'boolean',
    default: false,
    describe: 'Copy nothing, and print the commands with which another tool would',
  },
  tool: {
    choices: COPY_TOOLS,
    default: 'oras' as const,
    describe: 'Tool whose commands --dry-run prints',
  },
  ...sourceFlags,
  ...timeoutFlag(BULK_TIMEOUT_S),
  ...lockFlag('Lockfile that names the packages'),
  ...outputFlag,
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

/** `mirror`: copies every image of the closure to another registry, and prints the ImageConfigs for it. */
export const mirrorCommand = command({
  positionals: {},
  flags,
  examples: [
    [
      '$0 mirror --to mirror.example.org > mirror.yaml',
      'copies all images; mirror.yaml is for the cluster, and for `resolve -f`',
    ],
    ['$0 mirror --to mirror.example.org --dry-run --tool crane', 'only the commands of crane'],
    ['$0 mirror --from FILE.tar --to mirror.example.org', 'what `bundle FILE.tar` has taken along'],
  ],
  epilogue:
    'Digests and annotations stay as they are. A copy that was broken off goes on where it ended. ' +
    'Exit code 4: the mirror has other images under these names, and nothing was copied.',
  run: async (args, io) => {
    if (args.to === undefined) {
      throw new InputError('`mirror` does not say where to', {
        hint: '`xpkg-resolve mirror --to REGISTRY` copies to that registry',
      });
    }
    const mirror = parseMirror(args.to, '--to', args.keepHost);
    const lockfile = await lockfileOf(args, io);
    if (lockfile === undefined) return EXIT.lockMismatch;
    const target = targetFor(lockfile.crossplane)!;
    const registries = args.offline ? undefined : await registriesFor({ ...args, anew: true }, io);
    if (registries === undefined) {
      throw new InputError('`--offline` forbids the network, so nothing is mirrored');
    }
    const stats = noStats();
    const kept = extraManifestsIn(lockfile, args.lock).filter(
      ({ object }) => !leadsTo(mirror, object),
    );
    const from = args.from?.map((text) => (isBundleFile(text) ? `layout:${text}` : text));
    const sources = await openEach({ ...args, from }, io, stats, kept);
    const onImage = (reference: string) => {
      stats.latest = reference;
      stats.fetched += 1;
    };
    const { concurrency, signatures } = args;
    return withProgress(io, stats, async () => {
      const options = { sources, target, concurrency, onImage };
      const images = await closureImages(lockfile, 'mirrored', options);
      const rules = mirrorRules(
        images.map(({ repository }) => repository),
        mirror,
      );
      const plan = await planMirror(images, rules, (at) => registries.destination(at), concurrency);
      const others = plan.filter(({ before, image }) => (before ?? image.digest) !== image.digest);
      if (others.length > 0 && !args.overwrite) {
        const code = reportMismatches(others.map(otherImage), args, io);
        io.note('hint: `--overwrite` gives the names to the images that are locked');
        return code;
      }
      const packages = images.filter(({ role }) => role === 'package');
      const packageRules = mirrorRules(
        packages.map(({ repository }) => repository),
        mirror,
      );
      const imageConfigs =
        target.rules.imageConfig?.rewrite === true
          ? mirrorConfigs(packageRules, mirror, args.secret)
          : [];
      let bytes = 0;
      const onBytes = (count: number) => (bytes += count);
      const outcomes = args.dryRun
        ? undefined
        : await copyToMirror(plan, { concurrency, signatures, onImage, onBytes });
      const report = { place: mirror.address, images: plan, outcomes, bytes, imageConfigs };
      printReport(report, { lockfile, args, io });
      return EXIT.done;
    });
  },
});

/** Returns the lockfile of `--lock` or of a bundle; undefined if there is none. */
async function lockfileOf(args: Args, io: Io): Promise<Lockfile | undefined> {
  const file = args.from?.find(isBundleFile);
  if (file !== undefined) return lockInBundle(file, io);
  return (await requireLock(args, io))?.lockfile;
}

/** Whether an object sends what is to be copied to the mirror itself, where it is not yet. */
function leadsTo({ address: place }: Mirror, object: JsonObject): boolean {
  return imageConfigsIn([{ object, origin: { file: '' } }]).some(
    ({ rewriteTo }) => rewriteTo === place || rewriteTo?.startsWith(`${place}/`) === true,
  );
}

function otherImage({ image, name, before }: MirroredImage): Mismatch {
  return {
    kind: 'mirror',
    repository: image.repository,
    version: image.version,
    text: `the mirror has another image under \`${name}\``,
    locked: image.digest,
    found: before,
  };
}

function printReport(
  report: MirrorReport,
  { lockfile, args, io }: { readonly lockfile: Lockfile; readonly args: Args; readonly io: Io },
): void {
  const commands = args.dryRun ? copyCommands(report.images, args.tool) : undefined;
  if (args.output === 'json') io.out(mirrorJson(report, commands));
  else io.out(commands === undefined ? mirrorText(report) : `${commands.join('\n')}\n`);
  if (report.outcomes !== undefined) {
    const copied = report.outcomes.filter(({ isNew }) => isNew).length;
    const rest = report.outcomes.length - copied;
    const had = rest === 0 ? '' : `; it had ${rest === 1 ? '1 other' : `${rest} others`}`;
    io.note(`copied ${counted(copied, 'image')} (${size(report.bytes)}) to ${report.place}${had}`);
  }
  for (const line of warnings(report, lockfile, args)) io.note(line);
}

/** Problems that keep the cluster from pulling from the mirror. */
function warnings(report: MirrorReport, lockfile: Lockfile, args: Args): string[] {
  const target = targetFor(lockfile.crossplane)!;
  if (report.imageConfigs.length === 0) {
    return [
      `warning: Crossplane ${lockfile.crossplane} cannot be told of a mirror: ImageConfigs rewrite images from v1.20.0 on`,
    ];
  }
  const own = report.imageConfigs.map((object) => ({ object, origin: { file: report.place } }));
  const named = new Set(imageConfigsIn(own).map(({ name }) => name));
  const others = imageConfigsIn(extraManifestsIn(lockfile, args.lock)).filter(
    ({ name }) => !named.has(name),
  );
  const configs = [...others, ...imageConfigsIn(own)];
  const elsewhere = new Map<string, string[]>();
  const lines: string[] = [];
  for (const { image, name } of report.images) {
    const asked = joinReference(image.repository, image.version);
    if (image.role === 'runtime') {
      lines.push(
        `note: ${asked} runs a package, and is pulled by that name: no ImageConfig rewrites it`,
      );
      continue;
    }
    const { image: pulled, rewrittenBy } = rewrittenImage(asked, configs, target);
    if (pulled === name || rewrittenBy === undefined) continue;
    const by = elsewhere.get(rewrittenBy.name) ?? [];
    elsewhere.set(rewrittenBy.name, [...by, asked]);
  }
  for (const [config, images] of elsewhere) {
    const more = images.length === 1 ? '' : ` and ${counted(images.length - 1, 'more image')}`;
    lines.push(
      `warning: a cluster does not pull ${images[0]!}${more} from this mirror: ImageConfig \`${config}\` of the lockfile sends it elsewhere`,
    );
  }
  return lines;
}
