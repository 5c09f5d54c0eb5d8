import type { ReadStats } from '../../../driver/read-stats.js';
import { formatLockfile } from '../../../lock/format-lockfile.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import type { PackageSource } from '../../../model/package-source.js';
import type { Request } from '../../../model/request.js';
import type { ReportFinding, ReportSeverity } from '../../../report/report.js';
import { lintSet } from '../../../usecases/lint/lint-set.js';
import { matrix } from '../../../usecases/matrix.js';
import type { Answer, Solved } from '../../../usecases/resolve/answer.js';
import { resolve, type ResolveOptions } from '../../../usecases/resolve/resolve.js';
import { longerTags } from '../../../usecases/verify/longer-tags.js';
import { verify } from '../../../usecases/verify/verify.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { readRequest } from '../../flags/input-flags.js';
import { resolveOptions, type ResolveArgs } from '../../flags/resolve-flags.js';
import { bundleDifferences } from '../../io/bundle/bundle-differences.js';
import { BundleFolder } from '../../io/bundle/bundle-folder.js';
import type { Io } from '../../io/io.js';
import { readLock, type LockOnDisk } from '../../io/lock-file.js';
import { openAnew } from '../../io/locked-sources.js';
import { withProgress } from '../../io/progress.js';
import { staleMismatches } from '../../output/answer/report-answer.js';
import {
  CHECK_STEPS,
  type Checked,
  type CheckStep,
  type CheckStepName,
} from '../../output/check/check.js';
import { counted } from '../../output/counted.js';
import { answerFindings } from '../../output/findings/answer-findings.js';
import { lintCounts, setFindings } from '../../output/findings/lint-report.js';
import { LockPlaces } from '../../output/findings/lock-places.js';
import { matrixFindings, matrixHeadline } from '../../output/findings/matrix-report.js';
import { countedMismatches, mismatchFindings } from '../../output/findings/mismatch-findings.js';
import { verificationFindings, verificationHeadline } from '../../output/findings/verify-report.js';
import { expectedFailure } from '../../report-error.js';

interface CheckArgs extends ResolveArgs {
  readonly refs?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  readonly failOn: ReportSeverity;
  readonly out: string;
  readonly bundle: boolean;
  readonly allowUndigested: boolean;
}

/** How a step went, but for its name. */
type Outcome = Omit<CheckStep, 'name'>;

/** One run of all steps. Those that need what another could not get are skipped. */
export class CheckRun {
  readonly #args: CheckArgs;
  readonly #io: Io;
  readonly #stats: ReadStats;
  readonly #steps = new Map<CheckStepName, Outcome>();
  /** What was found already, by any step: sources that fail do so in every step that asks them. */
  readonly #told = new Set<string>();

  constructor(args: CheckArgs, io: Io, stats: ReadStats) {
    this.#args = args;
    this.#io = io;
    this.#stats = stats;
  }

  async run(): Promise<Checked> {
    const lock = await this.#runSteps();
    const steps = CHECK_STEPS.map((name) => ({
      name,
      ...(this.#steps.get(name) ?? skipped('not reached')),
    }));
    return { steps, crossplane: lock?.lockfile.crossplane };
  }

  async #runSteps(): Promise<LockOnDisk | undefined> {
    const { out, lock: named, refs = [] } = this.#args;
    const request = await this.#step('inputs', async () => {
      const read = await readRequest(this.#args, this.#io, { refs, skip: [named, out] });
      const count = counted(read.roots.length, 'root');
      return { ...passed(`${count} asked for`), result: read };
    });
    if (request === undefined) {
      this.#skipRest('what is asked for cannot be read');
      return undefined;
    }
    const lock = await this.#step('locked', () => this.#readLock());
    if (lock === undefined) {
      this.#skipRest('there is no lockfile that can be read');
      return undefined;
    }
    await this.#againstSources(request, lock);
    await this.#step('rendered', () => this.#rendered(lock));
    return lock;
  }

  async #readLock() {
    const { lock: named } = this.#args;
    const lock = await readLock(this.#args, this.#io);
    if (lock !== undefined) return { ...passed('read'), result: lock };
    const text = `there is no lockfile \`${named}\``;
    const places = new LockPlaces(named, undefined);
    return failed(EXIT.lockMismatch, text, mismatchFindings([{ kind: 'missing', text }], places));
  }

  /** What is locked is audited first: the other steps then read what the audit read. */
  async #againstSources(request: Request, lock: LockOnDisk): Promise<void> {
    const { lockfile } = lock;
    const opened = await this.#step('locked', async () => ({
      ...passed('opened'),
      result: await openAnew(this.#args, this.#io, this.#stats, { lockfile, kept: request.kept }),
    }));
    if (opened === undefined) {
      this.#skipRest('a source could not be opened');
      return;
    }
    const places = await LockPlaces.read(this.#args.lock, this.#io);
    await this.#step('verify', async () => {
      const { allowUndigested } = this.#args;
      const verification = await this.#waiting(() =>
        verify(lockfile, request, {
          ...resolveOptions(this.#args, opened.audited, this.#io),
          allowUndigested: allowUndigested || request.allowUndigested === true,
        }),
      );
      const findings = verificationFindings(verification, places);
      const headline = verificationHeadline(verification);
      const { failures } = verification;
      const keptAway = failures.length > 0 ? [] : await this.#keptAway(lockfile, opened.audited);
      if (findings.length === 0) return passed(headline, keptAway);
      return failed(failures.length > 0 ? EXIT.sourceFailed : EXIT.lockMismatch, headline, [
        ...findings,
        ...keptAway,
      ]);
    });
    const options = {
      ...resolveOptions(this.#args, opened.whole, this.#io),
      lockfile,
      unlock: undefined,
    };
    const answer = await this.#step('locked', () => this.#locked(request, lock, options, places));
    if (answer === undefined) this.#skip('lint', 'there is no set to look at');
    else await this.#step('lint', () => this.#lint(request, answer, options));
    await this.#step('matrix', () => this.#matrix(request, options));
  }

  /** Longer tags that pins keep from being installed, where the bundle has pins. */
  async #keptAway(lockfile: Lockfile, source: PackageSource): Promise<ReportFinding[]> {
    const folder = await BundleFolder.of(this.#args, this.#io);
    if (folder?.record.pin !== 'locked') return [];
    const notes = await this.#waiting(() => longerTags(lockfile, source));
    return notes.map((text) => ({ rule: 'longer-tags', severity: 'info', fails: false, text }));
  }

  async #locked(
    request: Request,
    lock: LockOnDisk,
    options: ResolveOptions,
    places: LockPlaces,
  ): Promise<Outcome & { readonly result?: Solved }> {
    const answer = await this.#waiting(() => resolve(request, options));
    const findings = answerFindings(answer, request);
    const moved = answer.status === 'gave-up' ? [] : answer.movedTags;
    if (moved.length > 0) {
      const all = [...mismatchFindings(moved, places), ...findings];
      return failed(EXIT.lockMismatch, 'locked tags name other bytes now', all);
    }
    if (answer.status !== 'solved') {
      return failed(unsolvedCode(answer), findings[0]!.text.split('\n')[0]!, findings);
    }
    const { lockfile, changes, target } = answer;
    if (formatLockfile(lockfile) !== lock.text) {
      const stale = mismatchFindings(staleMismatches(changes, lockfile, lock.lockfile), places);
      const text = 'resolving again changes the lockfile';
      return { ...failed(EXIT.lockMismatch, text, [...stale, ...findings]), result: answer };
    }
    const packages = counted(lockfile.packages.length, 'package');
    const text = `${packages} for Crossplane ${target.version}`;
    return { ...passed(text, findings), result: answer };
  }

  async #rendered({ lockfile }: LockOnDisk): Promise<Outcome> {
    const { out, lock: named } = this.#args;
    const folder = await BundleFolder.of(this.#args, this.#io);
    if (folder === undefined || folder.isEmpty) return skipped(`no bundle is in ${out}/`);
    const differing = bundleDifferences(folder, lockfile);
    if (differing.length === 0) return passed(`${folder.named}/ is what ${named} renders`);
    const findings = mismatchFindings(differing, new LockPlaces(named, undefined));
    return failed(EXIT.lockMismatch, countedMismatches(differing.length), findings);
  }

  async #lint(request: Request, answer: Solved, { source }: ResolveOptions): Promise<Outcome> {
    const found = await this.#waiting(() => lintSet(request, answer, source));
    const findings = setFindings(found, this.#args.failOn);
    const isBad = findings.some(({ fails }) => fails);
    const text = lintCounts(findings);
    return isBad ? failed(EXIT.findings, text, findings) : passed(text, findings);
  }

  async #matrix(request: Request, options: ResolveOptions): Promise<Outcome> {
    if (request.crossplanes === undefined) return skipped('`spec.crossplanes` names no release');
    // The releases that the set is meant for, whichever one this run is about.
    const asked = { ...options, crossplane: undefined };
    const found = await this.#waiting(() => matrix(request, asked));
    const findings = matrixFindings(found, request, true);
    const text = matrixHeadline(found);
    if (findings.length === 0) return passed(text);
    const isBlocked = found.rows.some(({ status }) => status === 'unsolvable');
    return failed(isBlocked ? EXIT.unsolvable : EXIT.gaveUp, text, findings);
  }

  /** Runs a step, unless it is to be left out, and returns what it makes for others. */
  async #step<T>(
    name: CheckStepName,
    work: () => Promise<Outcome & { readonly result?: T }>,
  ): Promise<T | undefined> {
    if (this.#args.skip?.includes(name) === true) {
      this.#skip(name, 'left out');
      return undefined;
    }
    try {
      const { result, ...outcome } = await work();
      this.#steps.set(name, this.#untold(outcome));
      return result;
    } catch (error) {
      const failure = expectedFailure(error);
      if (failure === undefined) throw error;
      const { exitCode, finding } = failure;
      const text = finding.text.split('\n')[0]!;
      this.#steps.set(name, this.#untold(failed(exitCode, text, [finding])));
      return undefined;
    }
  }

  #skip(name: CheckStepName, why: string): void {
    this.#steps.set(name, skipped(why));
  }

  #skipRest(why: string): void {
    for (const name of CHECK_STEPS) if (!this.#steps.has(name)) this.#skip(name, why);
  }

  #untold(outcome: Outcome): Outcome {
    const findings = outcome.findings.filter((finding) => {
      const key = JSON.stringify([finding.rule, finding.origin, finding.text]);
      if (this.#told.has(key)) return false;
      this.#told.add(key);
      return true;
    });
    return { ...outcome, findings };
  }

  #waiting<T>(work: () => Promise<T>): Promise<T> {
    return withProgress(this.#io, this.#stats, work);
  }
}

function passed(text: string, findings: readonly ReportFinding[] = []): Outcome {
  return { status: 'passed', exitCode: EXIT.done, text, findings };
}

function failed(exitCode: ExitCode, text: string, findings: readonly ReportFinding[]): Outcome {
  return { status: 'failed', exitCode, text, findings };
}

function skipped(text: string): Outcome {
  return { status: 'skipped', exitCode: EXIT.done, text, findings: [] };
}

function unsolvedCode({ status }: Exclude<Answer, Solved>): ExitCode {
  return status === 'gave-up' ? EXIT.gaveUp : EXIT.unsolvable;
}
