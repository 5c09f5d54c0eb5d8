import { createHash } from 'node:crypto';
import { InputError, SourceError } from '../../src/base/errors.js';
import { printable } from '../../src/base/escape.js';
import type { InputForm } from './mutated-input.js';

/** A reader of untrusted text or bytes. */
export interface HostileReader {
  readonly name: string;
  readonly form: InputForm;
  /** Inputs that are mostly valid. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Part of each error message: the file, host or place that was read. */
  readonly place?: string | undefined;
  /** Number of inputs relative to other readers; 1 by default. */
  readonly share?: number;
  /** Reads an input; returns a comparable result or throws an expected error. */
  read(input: Buffer): unknown;
}

/** The result of a reader: a value, an expected error, or a violation. */
export type Outcome =
  { readonly read: string } | { readonly refused: string } | { readonly violation: string };

/** Reads an input twice and checks that both results are equal. */
export async function hostileOutcome(reader: HostileReader, input: Buffer): Promise<Outcome> {
  const first = await outcomeOf(reader, input);
  const again = await outcomeOf(reader, input);
  const [before, after] = [JSON.stringify(first), JSON.stringify(again)];
  return before === after
    ? first
    : { violation: `another outcome the second time: ${shown(before)}, then ${shown(after)}` };
}

async function outcomeOf(reader: HostileReader, input: Buffer): Promise<Outcome> {
  try {
    const value: unknown = await reader.read(Buffer.from(input));
    refusePollution();
    return { read: digestOf(value) };
  } catch (error) {
    return refusal(error, reader);
  }
}

function refusal(error: unknown, { place }: HostileReader): Outcome {
  if (!(error instanceof InputError) && !(error instanceof SourceError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { violation: `not an error of ours: ${text.slice(0, 2000)}` };
  }
  if (place !== undefined && !error.message.includes(place))
    return { violation: `the message does not name ${place}: ${shown(error.message)}` };
  return { refused: `${error.name}: ${error.message} (${error.hint})` };
}

function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'bigint' ? String(inner) : inner instanceof Map ? [...inner] : inner,
  );
  return createHash('sha256')
    .update(text ?? 'undefined')
    .digest('hex');
}

const PROTOTYPES = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
const OWN_NAMES = PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length);

function refusePollution(): void {
  for (const [i, prototype] of PROTOTYPES.entries()) {
    if (Reflect.ownKeys(prototype).length !== OWN_NAMES[i]!)
      throw new Error('a prototype was changed by what was read');
  }
}

function shown(text: string): string {
  return printable(text, 500);
}
