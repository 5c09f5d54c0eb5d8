import type { ServerResponse } from 'node:http';
import type { Fault, LoggedRequest } from '../test/support/registry/registry.js';

/** A round is answered after this time without new requests. */
const QUIET_MS = 800;

/** Holds requests until no more arrive, and answers them together. */
export class AnsweredInRounds {
  /** Number of answered requests by round. */
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
