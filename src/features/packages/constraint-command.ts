import { setImmediate } from 'node:timers/promises';
import { InputError } from '../../base/errors.js';
import { getOrCreate } from '../../base/collections.js';
import { isMapping, type JsonObject } from '../../base/json.js';
import { outputFlag, switchFlag } from '../../cli/arguments/common-flags.js';
import { projectTarget, projectTargetFlag } from '../../cli/arguments/target-flag.js';
import {
  type ArgsOf,
  defineCommand,
  type Flags,
  type Outcome,
  type Positionals,
} from '../../cli/kit/command.js';
import type { RunIo } from '../../cli/terminal/io.js';
import {
  adviceFor,
  meaningOf,
  surprises,
  whyNot,
} from '../../crossplane/constraints/constraint-meaning.js';
import { admitsPrereleases, parseConstraint } from '../../crossplane/constraints/constraint.js';
import { parseVersion } from '../../crossplane/constraints/version.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import { constraintLines, constraintOutput, type ConstraintReport } from './output.js';

const positionals = {
  range: { describe: 'A constraint, such as ">=v1.2.0, <v2"' },
  versions: { array: true, describe: 'Versions to try' },
} as const satisfies Positionals;

const flags = {
  ...projectTargetFlag('Crossplane release that reads the range'),
  stdin: switchFlag('Answer JSON lines {"constraint","version","crossplane"} one by one'),
  ...outputFlag,
} as const satisfies Flags;

type Args = ArgsOf<typeof positionals & typeof flags>;

export const constraintCommand = defineCommand({
  positionals,
  examples: [
    ["$0 constraint '^v0.2.0' v0.3.0 --crossplane v2.2.1", 'yes there, and no from v2.3 on'],
  ],
  flags,
  stream: (args, io) => (args.stdin ? batched(answersToLines(args, io)) : undefined),
  run: async (args, io): Promise<ConstraintReport> => {
    const target = await projectTarget(args, io);
    const range = parseRange(args.range, target);
    return {
      constraint: range.text,
      crossplane: target.version,
      semver: range.dialect,
      means: meaningOf(range),
      prereleases: admitsPrereleases(range),
      notes: surprises(range),
      versions: (args.versions ?? []).map((text) => {
        const version = parseVersion(text, range.dialect);
        if (version === undefined) {
          return { version: text, validVersion: false, satisfied: false, reason: 'not a version' };
        }
        const reason = whyNot(range, version);
        return { version: text, validVersion: true, satisfied: reason === undefined, reason };
      }),
    };
  },
  json: () => constraintOutput,
  text: constraintLines,
});

function parseRange(range: string | undefined, target: Target) {
  if (range === undefined) {
    throw new InputError('no range given', {
      hint: "try `xpkg-resolve constraint '>=v1.2.0' v1.3.0`, or `--stdin` for many at once",
    });
  }
  const constraint = parseConstraint(range, target.rules.dialect);
  if (!constraint.invalid) return constraint;
  throw new InputError(
    `\`${range}\` is not a range on Crossplane ${target.version}: ${constraint.error}`,
    { hint: adviceFor(constraint) },
  );
}

interface Question {
  readonly constraint: string;
  readonly version: string;
  /** Crossplane release; undefined: the one of the command line. */
  readonly crossplane: string | undefined;
}

/** Answers one question for each line of standard input, except blank lines. */
async function* answersToLines(args: Args, io: RunIo): AsyncGenerator<string, Outcome> {
  const standard = await projectTarget(args, io);
  if (args.range !== undefined) {
    throw new InputError('`--stdin` reads constraints from standard input; give no RANGE');
  }
  const targets = new Map<string | undefined, Target>([[undefined, standard]]);
  let line = 0;
  for await (const text of io.stdinLines()) {
    line += 1;
    if (text.trim() === '') continue;
    const question = readQuestion(text, line);
    const target = getOrCreate(targets, question.crossplane, (version) =>
      exactTarget(version!, line),
    );
    yield `${JSON.stringify(answer(question, target))}\n`;
  }
  return 'ok';
}

function answer(question: Question, { rules: { dialect } }: Target) {
  const constraint = parseConstraint(question.constraint, dialect);
  const version = parseVersion(question.version, dialect);
  return {
    validConstraint: !constraint.invalid,
    validVersion: version !== undefined,
    satisfied: !constraint.invalid && version !== undefined && constraint.admits(version),
  };
}

function readQuestion(text: string, line: number): Question {
  const value = parseJson(text, line);
  if (!isMapping(value)) throw lineError(line, 'not a JSON object');
  const hasRelease = (value['crossplane'] ?? undefined) !== undefined;
  return {
    constraint: stringField(value, 'constraint', line),
    version: stringField(value, 'version', line),
    crossplane: hasRelease ? stringField(value, 'crossplane', line) : undefined,
  };
}

function parseJson(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw lineError(line, 'not JSON', cause);
  }
}

function stringField(fields: JsonObject, name: keyof Question, line: number): string {
  const value = fields[name];
  if (typeof value !== 'string') throw lineError(line, `\`${name}\` is not a string`);
  return value;
}

function exactTarget(version: string, line: number): Target {
  const target = targetFor(version);
  if (target === undefined) {
    throw lineError(line, `\`crossplane\` is \`${version}\`, which is not an exact version`);
  }
  return target;
}

function lineError(line: number, what: string, cause?: unknown): InputError {
  return new InputError(what, {
    origin: { file: '-', line },
    hint: 'each line is an object {"constraint": "…", "version": "…", "crossplane": "v…"}',
    cause,
  });
}

/** Joins the answers to all lines of one chunk of input. */
async function* batched(answers: AsyncGenerator<string, Outcome>): AsyncGenerator<string, Outcome> {
  let batch = '';
  let next = answers.next();
  try {
    for (;;) {
      let answered: IteratorResult<string, Outcome> | void = await next;
      const isIdle = setImmediate();
      while (answered !== undefined && !answered.done) {
        batch += answered.value;
        next = answers.next();
        answered = await Promise.race([next, isIdle]);
      }
      if (answered !== undefined) return answered.value;
      const whole = batch;
      batch = '';
      yield whole;
    }
  } finally {
    // Runs also if a line is invalid, so that the answers to the lines before it are printed.
    if (batch !== '') yield batch;
  }
}
