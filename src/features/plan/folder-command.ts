import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { noPlanLines, planDocument, planMarkdown } from './output.js';
import { type LockfilePlan, plan } from './plan.js';
import { scriptCommands, PLAN_PAGE, planCommands, renderPlan, STEP_FILES } from './render-plan.js';
import { byCodePoint } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import { isAbsent } from '../../base/files/file-system.js';
import { writeTransaction } from '../../base/files/transaction.js';
import { isRemoteLock, workingPlace } from '../../cli/files/lock-file.js';
import { requireNamedLock } from '../../cli/files/named-lock.js';
import { EXIT, jsonDocument, OtherResult } from '../../cli/kit/command.js';
import type { RegistryArgs } from '../../cli/sources/registries.js';
import type { RunIo } from '../../cli/terminal/io.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import type { Pin } from '../../project/manifests/package-object.js';
import type { RenderValue } from '../render/output.js';

const STEP_FOLDER = /^\d{2,}$/;

/** Returns the path of a folder without a slash at the end. */
export function planFolder(named: string): string {
  return dirname(join(named, PLAN_PAGE));
}

/**
 * Writes a plan into a folder, all files or none, and deletes the files of an older plan. Returns
 * the paths of the files.
 */
export async function writePlanFolder(
  named: string,
  plan: LockfilePlan,
  { pin, write }: { readonly pin: Pin; readonly write: boolean },
  io: RunIo,
): Promise<readonly string[]> {
  const commands = planCommands(plan, { folder: named, pin });
  const page = `\n${planMarkdown(plan, commands)}`;
  const files = renderPlan(plan, { commands: commands.map(scriptCommands), page, pin });
  const folder = resolve(io.cwd, named);
  const steps = (await namesIn(folder)).filter((name) => STEP_FOLDER.test(name));
  const old = steps.flatMap((step) => STEP_FILES.map((name) => `${step}/${name}`));
  const names = new Set([...files.keys(), ...old, PLAN_PAGE]);
  const changes = Array.from(names, (name) => ({
    path: join(folder, name),
    content: files.get(name),
    ownOnly: true,
  }));
  if (write) await writeTransaction(changes, workingPlace(io));
  return [...files.keys()].map((name) => `${named}/${name}`).sort(byCodePoint);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

type StepsArgs = RegistryArgs & {
  readonly lock: string;
  /** Folder of the plan. */
  readonly plan: string;
  readonly old: string | undefined;
  readonly pin: Pin | undefined;
  readonly output: 'text' | 'json';
  readonly write: boolean;
};

/** Writes the steps from another lockfile to this one as folders. */
export async function renderSteps(
  args: StepsArgs,
  lockfile: Lockfile,
  io: RunIo,
): Promise<RenderValue> {
  const old = args.old ?? committed(args);
  const before = await requireNamedLock(old, args, io);
  const pin = args.pin ?? 'tag';
  const answer = await plan(before.lockfile, lockfile, { pin });
  if (answer.status !== 'planned') {
    throw new OtherResult((output, full) => {
      if (output === 'json') full.out(jsonDocument(planDocument({ answer, commands: [] })));
      else for (const line of noPlanLines(answer)) full.note(line);
      full.note(
        `hint: \`xpkg-resolve plan ${shellWord(old)} ${shellWord(args.lock)}\` looks for a version in between`,
      );
      return answer.status === 'gave-up' ? EXIT.gaveUp : EXIT.unsolvable;
    });
  }
  const folder = planFolder(args.plan);
  const files = await writePlanFolder(folder, answer, { pin, write: args.write }, io);
  for (const note of answer.notes) io.note(`note: ${note}`);
  const { crossplane } = lockfile;
  const verb = args.write ? 'wrote' : 'would write';
  const text = `${verb} ${folder}/, the steps from ${before.shown}`;
  const note = args.output === 'json' ? undefined : text;
  return { status: 'rendered', crossplane, files, note };
}

/** Returns the committed version of the lockfile, the default of `--old`. */
function committed(args: StepsArgs): string {
  if (!isRemoteLock(args) && !args.lock.startsWith('/')) return `HEAD:./${args.lock}`;
  throw new InputError('`--plan` needs to know what is installed', {
    hint: 'name its lockfile with `--old`: a file, `REVISION:PATH` of git, or `oci://…`',
  });
}
