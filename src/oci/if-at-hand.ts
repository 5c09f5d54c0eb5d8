import { SourceError } from '../model/source-error.js';

/** What is asked for, where it is to be had offline; undefined: it is not. */
export async function ifAtHand<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof SourceError && error.code === 'OFFLINE') return undefined;
    throw error;
  }
}
