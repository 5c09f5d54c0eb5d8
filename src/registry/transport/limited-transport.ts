import { OutOfTime } from '../../model/time/out-of-time.js';
import type { TimeBudget } from '../../model/time/time-budget.js';
import { shownUrl, type HttpResponse, type Transport } from './transport.js';

/** Ends every exchange with the time of the run: while connecting, before the answer and within it. */
export function limitedTransport(transport: Transport, budget: TimeBudget): Transport {
  return async (request) => {
    const asked = `\`${request.method} ${shownUrl(request.url)}\``;
    const { signal } = request;
    const ended = signal === undefined ? budget.signal : AbortSignal.any([budget.signal, signal]);
    const sending = transport({ ...request, signal: ended });
    const response = await budget.wait(`an answer to ${asked}`, sending);
    return {
      status: response.status,
      header: (name) => response.header(name),
      body: limitedBody(response, asked, budget),
      discard: () => budget.wait(`the end of the answer to ${asked}`, response.discard()),
    };
  };
}

async function* limitedBody(
  { body }: HttpResponse,
  asked: string,
  budget: TimeBudget,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    if (!budget.signal.aborted) throw error;
    const rest = `the rest of the answer to ${asked}, of which ${bytes} bytes came`;
    throw new OutOfTime(budget.seconds, rest);
  }
}
