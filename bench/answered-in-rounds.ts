import type { ServerResponse } from 'node:http';
import type { Fault, LoggedRequest } from '../test/support/registry/registry.js';

/** A round is answered when nothing more was asked for so long. */
const QUIET_MS = 800;

/** Lets requests wait until no more come, and answers all at once. */
export class AnsweredInRounds {
  /** How many were answered, by round. */
  readonly sizes: number[] = [];
  #waiting: (readonly [LoggedRequest, ServerResponse])[] = [];
  #timer: NodeJS.Timeout | undefined;

  readonly fault: Fault = (request, response, registry) => {
    this.#waiting.push([request, response]);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const round = this.#waiting.splice(0);
      this.sizes.push(round.length);
      for (const [each, to] of round) registry.answer(each, to);
    }, QUIET_MS);
    return true;
  };
}
