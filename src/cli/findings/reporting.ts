import { appendFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { azureIssues, githubAnnotations, githubOutputs, gitlabCodeQuality } from './ci-formats.js';
import { junitResults } from './junit.js';
import { markdownSummary } from './markdown.js';
import { sarifLog } from './sarif.js';
import {
  hasFailed,
  type MakeReport,
  placedReport,
  type PlacedReport,
  type Report,
  type ReportPlaces,
} from './report.js';
import { InputError } from '../../base/errors.js';
import { isWithin } from '../../base/files/paths.js';
import { writeTransaction } from '../../base/files/transaction.js';
import { DEFAULT_FILES } from '../../project/inputs/input-files.js';
import { flagConflictError } from '../arguments/argument-errors.js';
import { DEFAULT_LOCK, readFormats, type RequestedFormat } from '../arguments/common-flags.js';
import { workingPlace } from '../files/lock-file.js';
import type { CommandLine } from '../kit/command-line.js';
import type { ExitCode } from '../kit/command.js';
import { findProject, gitTop, isFileAt } from '../projects/project.js';
import { toolVersion } from '../terminal/environment.js';
import type { Io } from '../terminal/io.js';

/** Receives the report of a command, and writes it in the formats of `--format` when the command has ended. */
export class Reporting {
  readonly #formats: readonly RequestedFormat[];
  readonly #line: CommandLine;
  readonly #io: Io;
  #make: MakeReport | undefined;

  /** `io` is the unfiltered one of the process: formats escape by their own rules. */
  constructor(line: CommandLine, io: Io) {
    this.#formats = readFormats(line.args.format ?? []);
    this.#line = line;
    this.#io = io;
    if (!this.takesStdout) return;
    const format = `--format ${this.#formats.find(({ file }) => file === undefined)!.format}`;
    if (line.json) throw flagConflictError('-o json', format);
    if (line.args.out === '-') throw flagConflictError('--out -', format);
  }

  /** Whether the report goes to stdout, so that text goes to stderr. */
  get takesStdout(): boolean {
    return this.#formats.some(({ file }) => file === undefined);
  }

  take(make: MakeReport): void {
    this.#make = make;
  }

  async write(code: ExitCode): Promise<void> {
    const command = this.#line.command ?? '';
    const madeReport = (await this.#make?.(command)) ?? defaultReport(command, code);
    const report = placedReport(madeReport, repositoryPlaces(this.#line, this.#io));
    for (const { format, file } of this.#formats) {
      const text = FORMATTERS[format](report);
      if (file === undefined) this.#io.out(text);
      else {
        const path = resolve(this.#io.cwd, file);
        await writeTransaction([{ path, content: text }], workingPlace(this.#io));
      }
      if (format === 'github') await this.#writeGithubFiles(report, code);
    }
  }

  /** Writes the summary for the page of the run, and the outputs for later steps. */
  async #writeGithubFiles(report: PlacedReport, code: ExitCode): Promise<void> {
    const { env } = this.#io;
    const outputs = { ...countsOf(report, code), ...report.outputs };
    const files = [
      [env['GITHUB_STEP_SUMMARY'], () => markdownSummary(report)],
      [env['GITHUB_OUTPUT'], () => githubOutputs(outputs)],
    ] as const;
    for (const [file, text] of files) {
      if (file === undefined || file === '') continue;
      await appendFile(file, text()).catch((error: Error) => {
        throw new InputError(`cannot write \`${file}\`: ${error.message}`, { cause: error });
      });
    }
  }
}

function countsOf(report: PlacedReport, code: ExitCode): Readonly<Record<string, string>> {
  const count = (severity: string) =>
    String(report.findings.filter((finding) => finding.severity === severity).length);
  return {
    status: hasFailed(report) ? 'failed' : 'passed',
    'exit-code': String(code),
    errors: count('error'),
    warnings: count('warning'),
  };
}

/** Returns the report of a command that ended without one. */
function defaultReport(command: string, code: ExitCode): Report {
  const status = code === 0 ? 'passed' : 'failed';
  const text = code === 0 ? 'done' : `ended with exit code ${code}`;
  return { command, headline: text, steps: [{ name: command, status, text, findings: [] }] };
}

const FORMATTERS: Readonly<Record<RequestedFormat['format'], (report: PlacedReport) => string>> = {
  github: githubAnnotations,
  gitlab: gitlabCodeQuality,
  azure: azureIssues,
  sarif: (report) => sarifLog(report, toolVersion()),
  junit: junitResults,
  markdown: markdownSummary,
};

/** Environment variables in which build systems name the top of the repository. */
const TOPS = ['GITHUB_WORKSPACE', 'CI_PROJECT_DIR', 'BUILD_SOURCESDIRECTORY', 'WORKSPACE'];

/** Returns the paths for findings: build systems expect them relative to the top of the repository. */
function repositoryPlaces(
  { args: { file: [file] = [] } }: CommandLine,
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
): ReportPlaces {
  const named = TOPS.map((name) => env[name]).find((top) => top && isWithin(cwd, top));
  const top = named ?? gitTop(cwd) ?? cwd;
  const fromTop = (file: string) => relative(top, resolve(cwd, file)).split(sep).join('/');
  const inputs = file === undefined || file === '-' ? [] : [file];
  const folders = inputs.flatMap((file) => DEFAULT_FILES.map((name) => join(file, name)));
  const own = findProject(cwd)?.file ?? [];
  const first = [...inputs, ...folders, own, DEFAULT_LOCK]
    .flat()
    .find((file) => isFileAt(resolve(cwd, file)));
  return {
    pathOf: (file) => {
      const path = resolve(cwd, file);
      return isWithin(path, top) && isFileAt(path) ? fromTop(file) : undefined;
    },
    fallback: fromTop(first ?? DEFAULT_FILES[0]!),
  };
}
