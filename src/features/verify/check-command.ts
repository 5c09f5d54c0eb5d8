import {
  CHECK_STEPS,
  checkComplaints,
  checkExitCode,
  checkOutput,
  checkReport,
  type CheckStep,
  type CheckStepName,
  checkTable,
  type CheckValue,
} from './check-output.js';
import { verificationFindings, verificationHeadline } from './output.js';
import { longerTags, verify } from './verify.js';
import {
  formatFlag,
  lockFlag,
  outFlag,
  outputFlag,
  switchFlag,
} from '../../cli/arguments/common-flags.js';
import { readRequestAndTexts } from '../../cli/arguments/input-flags.js';
import { refsArgument, resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { staleMismatches } from '../../cli/files/lock-checks.js';
import { type LockOnDisk, NO_LOCK_HINT, readLock } from '../../cli/files/lock-file.js';
import { bundleMismatches } from '../../cli/files/render-again.js';
import { BundleFolder } from '../../cli/files/rendered-folder.js';
import {
  countedMismatches,
  LockPlaces,
  mismatchFindings,
} from '../../cli/findings/report-parts.js';
import type { ReportFinding } from '../../cli/findings/report.js';
import {
  type ArgsOf,
  defineCommand,
  EXIT,
  type ExitCode,
  type Flags,
} from '../../cli/kit/command.js';
import { expectedFailure } from '../../cli/kit/errors.js';
import { reopenSources } from '../../cli/sources/locked-sources.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { amount } from '../../cli/terminal/package-text.js';
import { withProgress } from '../../cli/terminal/progress.js';
import type { Request } from '../../project/inputs/request.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import type { Solved } from '../../resolver/resolve/answer.js';
import { resolve } from '../../resolver/resolve/resolve.js';
import type { ResolveOptions } from '../../resolver/resolve/to-problem.js';
import type { PackageSource } from '../../sources/package-source.js';
import { lintProject } from '../lint/lint.js';
import { findingCounts, setFindings, SEVERITIES } from '../lint/output.js';
import { matrixFindings, matrixHeadline } from '../matrix/output.js';
import { matrix } from '../matrix/matrix.js';
import { answerFindings } from '../resolve/findings-output.js';

const flags = {
  ...resolveFlags,
  ...lockFlag('Lockfile to check'),
  ...outputFlag,
  ...formatFlag,
  skip: {
    array: true,
    choices: ['rendered', 'verify', 'lint', 'matrix'],
    describe: 'Step to leave out; may be repeated',
  },
  'fail-on': {
    choices: SEVERITIES,
    default: 'error',
    describe: 'Let lint fail from this severity up',
  },
  ...outFlag('Folder of the bundle to compare with what the lockfile renders'),
  bundle: { type: 'boolean', default: true, describe: 'Do not look at the bundle' },
  'allow-undigested': switchFlag('Let the lockfile be without digests that its sources have'),
} as const satisfies Flags;

type Args = ArgsOf<typeof flags & typeof refsArgument>;

export const checkCommand = defineCommand({
  positionals: refsArgument,
  flags,
  examples: [
    ['$0 check', 'in CI: is everything as it should be?'],
    ['$0 check --format github --format sarif=xpkg.sarif', 'with annotations, and a file'],
  ],
  epilogue:
    'Reads what is asked for (inputs), resolves with --locked (locked), compares the bundle (rendered), ' +
    'holds the lockfile against its sources (verify), lints the set (lint), and resolves for the ' +
    'releases that `spec.crossplanes` names (matrix). Sources are opened once, and what is locked is ' +
    'read once. The exit code is that of the first step in the table that failed.',
  run: (args, io): Promise<CheckValue> => new CheckRun(args, io).run(),
  json: () => checkOutput,
  text: checkTable,
  notes: checkComplaints,
  findings: checkReport,
  exit: checkExitCode,
});

/** The result of a step, without its name. */
type Outcome = Omit<CheckStep, 'name'>;

/** One run of all steps. A step is skipped if a step that it needs failed. */
class CheckRun {
  readonly #args: Args;
  readonly #io: RunIo;
  readonly #stats = noStats();
  readonly #steps = new Map<CheckStepName, Outcome>();
  /** Keys of findings that a step reported: a failing source fails in every step. */
  readonly #reportedKeys = new Set<string>();
  /** Why steps without an outcome were skipped. */
  #obstacle = '';

  constructor(args: Args, io: RunIo) {
    this.#args = args;
    this.#io = io;
  }

  async run(): Promise<CheckValue> {
    const lock = await this.#runSteps();
    const others = skipStep(this.#obstacle);
    const steps = CHECK_STEPS.map((name) => ({ name, ...(this.#steps.get(name) ?? others) }));
    return { steps, crossplane: lock?.lockfile.crossplane, bytes: this.#stats.bytes };
  }

  async #runSteps(): Promise<LockOnDisk | undefined> {
    const { out, lock: named, refs = [] } = this.#args;
    this.#obstacle = 'what is asked for cannot be read';
    const request = await this.#step('inputs', async () => {
      const options = { refs, skip: [named, out] };
      const { request } = await readRequestAndTexts(this.#args, this.#io, options);
      const count = amount(request.roots.length, 'root');
      return { ...passStep(`${count} asked for`), result: request };
    });
    if (request === undefined) return undefined;
    this.#obstacle = 'there is no lockfile that can be read';
    const lock = await this.#step('locked', () => this.#readLock());
    if (lock === undefined) return undefined;
    this.#obstacle = 'a source could not be opened';
    await this.#againstSources(request, lock);
    await this.#step('rendered', () => this.#checkRendered(lock));
    return lock;
  }

  async #readLock() {
    const { lock: named } = this.#args;
    const lock = await readLock(this.#args, this.#io);
    if (lock !== undefined) return { ...passStep('read'), result: lock };
    const text = `there is no lockfile \`${named}\``;
    const places = new LockPlaces(named, undefined);
    const [finding] = mismatchFindings([{ kind: 'missing', text }], places);
    return failStep(EXIT.lockMismatch, text, [{ ...finding!, fix: NO_LOCK_HINT }]);
  }

  /** Audits the locked packages first, so that other steps reuse what it read. */
  async #againstSources(request: Request, lock: LockOnDisk): Promise<void> {
    const { lockfile } = lock;
    const opened = await this.#step('locked', async () => ({
      ...passStep('opened'),
      result: await reopenSources(this.#args, this.#io, this.#stats, {
        lockfile,
        kept: request.kept,
        asRecorded: true,
      }),
    }));
    if (opened === undefined) return;
    const places = await LockPlaces.read(this.#args.lock, this.#io);
    await this.#step('verify', async () => {
      const allowUndigested = this.#args.allowUndigested || request.allowUndigested === true;
      const verification = await this.#withProgress(() =>
        verify(lockfile, request, {
          ...resolveOptions(this.#args, opened.audited, this.#io),
          allowUndigested,
        }),
      );
      const findings = verificationFindings(verification, places);
      const hasFailures = verification.failures.length > 0;
      const blockedTags = hasFailures ? [] : await this.#blockedTags(lockfile, opened.audited);
      const all = [...findings, ...blockedTags];
      const headline = verificationHeadline(verification);
      if (findings.length === 0) return passStep(headline, all);
      return failStep(hasFailures ? EXIT.sourceFailed : EXIT.lockMismatch, headline, all);
    });
    const options = {
      ...resolveOptions(this.#args, opened.whole, this.#io),
      lockfile,
      unlock: undefined,
    };
    const answer = await this.#step('locked', () => this.#locked(request, lock, options, places));
    if (answer === undefined) this.#steps.set('lint', skipStep('there is no set to look at'));
    else await this.#step('lint', () => this.#lint(request, answer, options));
    await this.#step('matrix', () => this.#matrix(request, options));
  }

  /** Published tags that the pins of the rendered manifests block. */
  async #blockedTags(lockfile: Lockfile, source: PackageSource): Promise<ReportFinding[]> {
    const folder = await BundleFolder.of(this.#args, this.#io);
    if (folder?.record.pin !== 'locked') return [];
    const notes = await this.#withProgress(() => longerTags(lockfile, source));
    return notes.map((text) => ({ rule: 'longer-tags', severity: 'info', fails: false, text }));
  }

  async #locked(
    request: Request,
    lock: LockOnDisk,
    options: ResolveOptions,
    places: LockPlaces,
  ): Promise<Outcome & { readonly result?: Solved }> {
    const answer = await this.#withProgress(() => resolve(request, options));
    const findings = answerFindings(answer, request);
    const moved = answer.status === 'gave-up' ? [] : answer.movedTags;
    if (moved.length > 0) {
      const all = [...mismatchFindings(moved, places), ...findings];
      return failStep(EXIT.lockMismatch, 'locked tags name other bytes now', all);
    }
    if (answer.status !== 'solved') {
      const code = answer.status === 'gave-up' ? EXIT.gaveUp : EXIT.unsolvable;
      return failStep(code, findings[0]!.text.split('\n')[0]!, findings);
    }
    const { lockfile, target } = answer;
    const stale = mismatchFindings(staleMismatches(answer, lock), places);
    if (stale.length > 0) {
      const text = 'resolving again changes the lockfile';
      return { ...failStep(EXIT.lockMismatch, text, [...stale, ...findings]), result: answer };
    }
    const packages = amount(lockfile.packages.length, 'package');
    const text = `${packages} for Crossplane ${target.version}`;
    return { ...passStep(text, findings), result: answer };
  }

  async #checkRendered({ lockfile }: LockOnDisk): Promise<Outcome> {
    const { out, lock: named } = this.#args;
    const folder = await BundleFolder.of(this.#args, this.#io);
    if (folder === undefined || folder.isEmpty) return skipStep(`no bundle is in ${out}/`);
    const differing = bundleMismatches(folder, lockfile);
    if (differing.length === 0) return passStep(`${folder.named}/ is what ${named} renders`);
    const findings = mismatchFindings(differing, new LockPlaces(named, undefined));
    return failStep(EXIT.lockMismatch, countedMismatches(differing.length), findings);
  }

  async #lint(request: Request, answer: Solved, { source }: ResolveOptions): Promise<Outcome> {
    const problems = await this.#withProgress(() => lintProject(request, answer, source));
    const findings = setFindings(problems, this.#args.failOn);
    const isBad = findings.some(({ fails }) => fails);
    const text = findingCounts(findings);
    return isBad ? failStep(EXIT.findings, text, findings) : passStep(text, findings);
  }

  async #matrix(request: Request, options: ResolveOptions): Promise<Outcome> {
    if (request.crossplanes === undefined) return skipStep('`spec.crossplanes` names no release');
    // The matrix is about the releases of the request, not about the one of this run.
    const result = await this.#withProgress(() =>
      matrix(request, { ...options, crossplane: undefined }),
    );
    const findings = matrixFindings(result, request, true);
    const text = matrixHeadline(result);
    if (findings.length === 0) return passStep(text);
    const isBlocked = result.rows.some(({ status }) => status === 'unsolvable');
    return failStep(isBlocked ? EXIT.unsolvable : EXIT.gaveUp, text, findings);
  }

  /** Runs a step unless it is skipped, and returns its result for other steps. */
  async #step<T>(
    name: CheckStepName,
    work: () => Promise<Outcome & { readonly result?: T }>,
  ): Promise<T | undefined> {
    const skip: readonly string[] = this.#args.skip ?? [];
    if (skip.includes(name)) {
      this.#steps.set(name, skipStep('left out'));
      return undefined;
    }
    try {
      const { result, ...outcome } = await work();
      this.#steps.set(name, this.#withoutReported(outcome));
      return result;
    } catch (error) {
      const failure = expectedFailure(error);
      if (failure === undefined) throw error;
      const { exitCode, finding } = failure;
      const text = finding.text.split('\n')[0]!;
      this.#steps.set(name, this.#withoutReported(failStep(exitCode, text, [finding])));
      return undefined;
    }
  }

  #withoutReported(outcome: Outcome): Outcome {
    const findings = outcome.findings.filter((finding) => {
      const key = JSON.stringify([finding.rule, finding.origin, finding.text]);
      if (this.#reportedKeys.has(key)) return false;
      this.#reportedKeys.add(key);
      return true;
    });
    return { ...outcome, findings };
  }

  #withProgress<T>(work: () => Promise<T>): Promise<T> {
    return withProgress(this.#io, this.#stats, work);
  }
}

function passStep(text: string, findings: readonly ReportFinding[] = []): Outcome {
  return { status: 'passed', exitCode: EXIT.done, text, findings };
}

function failStep(exitCode: ExitCode, text: string, findings: readonly ReportFinding[]): Outcome {
  return { status: 'failed', exitCode, text, findings };
}

function skipStep(text: string): Outcome {
  return { status: 'skipped', exitCode: EXIT.done, text, findings: [] };
}
