import { parseConstraint } from '../../../semver/constraint.js';
import { InputError } from '../../../model/input-error.js';
import { targetFor, type Target } from '../../../model/target/target.js';
import { parseVersion } from '../../../semver/version.js';
import type { Io } from '../../io/io.js';
import { isMapping } from '../../../text/json.js';

interface Question {
  readonly constraint: string;
  readonly version: string;
  /** undefined: that of the command line. */
  readonly crossplane: string | undefined;
}

/** Answers questions from standard input, a line each; blank lines are skipped. */
export async function answerLines(io: Io, standard: Target): Promise<void> {
  const answers = batched(io);
  const targets = new Map<string | undefined, Target>([[undefined, standard]]);
  let line = 0;
  try {
    for await (const text of io.stdinLines()) {
      line += 1;
      if (text.trim() === '') continue;
      const question = readQuestion(text, line);
      let target = targets.get(question.crossplane);
      if (target === undefined) {
        target = exactTarget(question.crossplane!, line);
        targets.set(question.crossplane, target);
      }
      answers.add(`${JSON.stringify(answer(question, target))}\n`);
    }
  } finally {
    answers.flush();
  }
}

function answer({ constraint, version }: Question, { rules: { dialect } }: Target) {
  const parsedConstraint = parseConstraint(constraint, dialect);
  const parsedVersion = parseVersion(version, dialect);
  const satisfied =
    !parsedConstraint.invalid &&
    parsedVersion !== undefined &&
    parsedConstraint.admits(parsedVersion);
  return {
    validConstraint: !parsedConstraint.invalid,
    validVersion: parsedVersion !== undefined,
    satisfied,
  };
}

function readQuestion(text: string, line: number): Question {
  const value = parseJson(text, line);
  if (!isMapping(value)) throw lineError(line, 'not a JSON object');
  const fields: Readonly<Record<string, unknown>> = { ...value };
  return {
    constraint: stringField(fields, 'constraint', line),
    version: stringField(fields, 'version', line),
    crossplane:
      (fields['crossplane'] ?? undefined) === undefined
        ? undefined
        : stringField(fields, 'crossplane', line),
  };
}

function parseJson(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw lineError(line, 'not JSON', cause);
  }
}

function stringField(
  fields: Readonly<Record<string, unknown>>,
  name: keyof Question,
  line: number,
): string {
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

/** Writes answers in batches: those to all lines of one chunk of input go out together. */
function batched(io: Io) {
  let pending = '';
  const flush = () => {
    if (pending !== '') io.out(pending);
    pending = '';
  };
  return {
    add: (text: string) => {
      if (pending === '') setImmediate(flush);
      pending += text;
    },
    flush,
  };
}
