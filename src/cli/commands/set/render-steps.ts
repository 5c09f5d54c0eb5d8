import { InputError } from '../../../model/input-error.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import type { Pin } from '../../../bundle/package-object.js';
import { plan } from '../../../usecases/plan/plan.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { planFolder, writePlanFolder } from '../../io/bundle/plan-folder.js';
import type { Io } from '../../io/io.js';
import { isRemoteLock } from '../../io/lock-file.js';
import type { RegistryArgs } from '../../io/registry/registries.js';
import { requireNamedLock } from '../../io/sides/named-lock.js';
import { jsonDocument } from '../../output/json-document.js';
import { noPlanJson } from '../../output/plan/plan-json.js';
import { noPlanLines } from '../../output/plan/plan-text.js';

type StepsArgs = RegistryArgs & {
  readonly lock: string;
  /** Folder of the plan. */
  readonly plan: string;
  readonly old: string | undefined;
  readonly pin: Pin | undefined;
  readonly output: 'text' | 'json';
};

/** Writes the steps from another lockfile to this one as folders. */
export async function renderSteps(args: StepsArgs, lockfile: Lockfile, io: Io): Promise<ExitCode> {
  const old = args.old ?? committed(args);
  const before = await requireNamedLock(old, args, io);
  const pin = args.pin ?? 'tag';
  const answer = await plan(before.lockfile, lockfile, { pin });
  if (answer.status !== 'planned') {
    if (args.output === 'json') io.out(noPlanJson(answer, []));
    else for (const line of noPlanLines(answer)) io.note(line);
    io.note(`hint: \`xpkg-resolve plan ${old} ${args.lock}\` looks for a version in between`);
    return answer.status === 'gave-up' ? EXIT.gaveUp : EXIT.unsolvable;
  }
  const folder = planFolder(args.plan);
  const files = await writePlanFolder(folder, answer, pin, io);
  for (const note of answer.notes) io.note(`note: ${note}`);
  const { crossplane } = lockfile;
  if (args.output === 'json') io.out(jsonDocument({ status: 'rendered', crossplane, files }));
  else io.note(`wrote ${folder}/, the steps from ${before.shown}`);
  return EXIT.done;
}

/** What was committed is taken for what is installed. */
function committed(args: StepsArgs): string {
  if (!isRemoteLock(args) && !args.lock.startsWith('/')) return `HEAD:./${args.lock}`;
  throw new InputError('`--plan` needs to know what is installed', {
    hint: 'name its lockfile with `--old`: a file, `REVISION:PATH` of git, or `oci://…`',
  });
}
