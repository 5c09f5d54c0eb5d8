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
import { type ArgsOf, defineCommand, type Flags } from '../../cli/kit/command.js';
import {
  lockFlag,
  keepHostFlag,
  signaturesFlag,
  outputFlag,
  switchFlag,
} from '../../cli/arguments/common-flags.js';
import { BULK_TIMEOUT_S, timeoutFlag } from '../../cli/sources/network-flags.js';
import { sourceFlags } from '../../cli/sources/source-flags.js';
import { isBundleFile, lockInBundle, openLockedSources } from './locked-images-command.js';
import { extraManifestsIn, readRequiredLock } from '../../cli/files/lock-file.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { getOrCreate } from '../../base/collections.js';
import { writeYamlStream } from '../../base/yaml/write-yaml.js';
import { onlineRegistries } from '../../cli/sources/registries.js';
import { amount } from '../../cli/terminal/package-text.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { mismatchResult } from '../../cli/files/mismatches.js';
import { COPY_TOOLS, copyCommands, mirrorNotes, mirrorOutput, type MirrorValue } from './output.js';

const flags = {
  to: { describe: 'Registry to copy to, and a path below it if need be: mirror.example.org/team' },
  ...keepHostFlag,
  ...signaturesFlag,
  overwrite: switchFlag('Give tags that the mirror has for other images to those that are locked'),
  secret: {
    describe:
      'Name of the Secret with which the cluster pulls from the mirror, for the ImageConfig',
  },
  'dry-run': switchFlag('Copy nothing, and print the commands with which another tool would'),
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
export const mirrorCommand = defineCommand({
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
  run: async (args, io): Promise<MirrorValue> => {
    if (args.to === undefined) {
      throw new InputError('`mirror` does not say where to', {
        hint: '`xpkg-resolve mirror --to REGISTRY` copies to that registry',
      });
    }
    const mirror = parseMirror(args.to, '--to', args.keepHost);
    const bundle = args.from?.find(isBundleFile);
    const lockfile =
      bundle === undefined
        ? (await readRequiredLock(args, io)).lockfile
        : await lockInBundle(bundle, io);
    const consequence = 'so nothing is mirrored';
    const registries = await onlineRegistries({ ...args, ignoreCache: true }, io, consequence);
    const objects = lockfile.objects.filter((object) => !rewritesTo(mirror, object));
    const from = args.from?.map((text) => (isBundleFile(text) ? `layout:${text}` : text));
    const opened = await openLockedSources({ ...args, from }, { ...lockfile, objects }, io);
    const { concurrency, target } = opened;
    return withProgress(io, opened.stats, async () => {
      const found = await closureImages(lockfile, 'mirrored', opened);
      const rules = mirrorRules(found, mirror);
      const images = await planMirror(found, rules, registries, concurrency);
      if (!args.overwrite) refuseOtherImages(images, args.lock, io);
      const packages = found.filter(({ role }) => role === 'package');
      const imageConfigs =
        target.rules.imageConfig?.rewrite === true
          ? mirrorConfigs(mirrorRules(packages, mirror), mirror, args.secret)
          : [];
      let bytes = 0;
      const onBytes = (count: number) => (bytes += count);
      const outcomes = args.dryRun
        ? undefined
        : await copyToMirror(images, { ...opened, signatures: args.signatures, onBytes });
      const { address } = mirror;
      const commands = args.dryRun ? copyCommands(images, args.tool) : undefined;
      const warnings = mirrorWarnings({ address, images, imageConfigs }, lockfile, args);
      return { address, images, outcomes, bytes, imageConfigs, commands, warnings };
    });
  },
  json: () => mirrorOutput,
  text: ({ commands, imageConfigs }) => commands ?? writeYamlStream(imageConfigs),
  closingNotes: mirrorNotes,
});

/** Throws an `OtherResult` if the mirror has other images under the names of the locked ones. */
function refuseOtherImages(images: readonly MirroredImage[], lock: string, io: RunIo): void {
  const others = images.filter(({ before, image }) => (before ?? image.digest) !== image.digest);
  if (others.length === 0) return;
  throw mismatchResult(others.map(otherImageMismatch), lock, io, [
    'hint: `--overwrite` gives the names to the images that are locked',
  ]);
}

/** Whether an object is an ImageConfig that rewrites images to the mirror, where they may be missing. */
function rewritesTo({ address }: Mirror, object: JsonObject): boolean {
  return imageConfigsIn([{ object, origin: { file: '' } }]).some(
    ({ rewriteTo }) => rewriteTo === address || rewriteTo?.startsWith(`${address}/`) === true,
  );
}

function otherImageMismatch({ image, name, before }: MirroredImage): Mismatch {
  return {
    kind: 'mirror',
    repository: image.repository,
    version: image.version,
    text: `the mirror has another image under \`${name}\``,
    locked: image.digest,
    found: before,
  };
}

/** Returns the problems that keep a cluster from pulling from the mirror. */
function mirrorWarnings(
  { address, images, imageConfigs }: Pick<MirrorValue, 'address' | 'images' | 'imageConfigs'>,
  lockfile: Lockfile,
  { lock }: Args,
): string[] {
  if (imageConfigs.length === 0) {
    return [
      `warning: Crossplane ${lockfile.crossplane} cannot be told of a mirror: ImageConfigs rewrite images from v1.20.0 on`,
    ];
  }
  const target = targetFor(lockfile.crossplane)!;
  const own = imageConfigsIn(imageConfigs.map((object) => ({ object, origin: { file: address } })));
  const ownNames = new Set(own.map(({ name }) => name));
  const others = imageConfigsIn(extraManifestsIn(lockfile, lock)).filter(
    ({ name }) => !ownNames.has(name),
  );
  const configs = [...others, ...own];
  const runtime: string[] = [];
  /** Images that the cluster pulls from elsewhere, by the name of the ImageConfig. */
  const elsewhere = new Map<string, string[]>();
  for (const { image, name } of images) {
    const reference = joinReference(image.repository, image.version);
    if (image.role === 'runtime') {
      runtime.push(reference);
      continue;
    }
    const { image: pulled, rewrittenBy } = rewrittenImage(reference, configs, target);
    if (pulled === name || rewrittenBy === undefined) continue;
    getOrCreate(elsewhere, rewrittenBy.name, () => []).push(reference);
  }
  return [
    ...runtime.map(
      (reference) =>
        `note: ${reference} runs a package, and is pulled by that name: no ImageConfig rewrites it`,
    ),
    ...[...elsewhere].map(([config, [first, ...more]]) => {
      const rest = more.length === 0 ? '' : ` and ${amount(more.length, 'more image')}`;
      return `warning: a cluster does not pull ${first!}${rest} from this mirror: ImageConfig \`${config}\` of the lockfile sends it elsewhere`;
    }),
  ];
}
