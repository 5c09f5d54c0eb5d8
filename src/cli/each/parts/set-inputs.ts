import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readInputs } from '../../../inputs/read-inputs.js';
import { InputError } from '../../../model/input-error.js';
import type { Io } from '../../io/io.js';
import { portable } from './asked.js';

/**
 * What the files of sets say, with those that they include. Lockfiles are not looked at: each machine
 * may have written those of its own sets.
 */
export async function setInputs(sets: readonly string[], io: Io): Promise<readonly unknown[]> {
  const inputs: unknown[] = [];
  for (const set of sets) inputs.push([portable(set, io.cwd), await textsOf(set, io)]);
  return inputs;
}

async function textsOf(set: string, io: Io): Promise<readonly string[]> {
  try {
    const { texts } = await readInputs({
      files: [set],
      refs: [],
      cwd: io.cwd,
      stdin: () => io.stdin(),
      compat: true,
    });
    return [...texts.values()];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // What is wrong with the file is told where its set is run.
    return [await readFile(resolve(io.cwd, set), 'utf8').catch(() => '')];
  }
}
