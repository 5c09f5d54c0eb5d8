import type { GivenInputs } from '../../inputs/edit/input-edit.js';
import type { Request } from '../../model/request.js';
import type { Answer } from '../../usecases/resolve/answer.js';
import { readRequestAndTexts } from '../flags/input-flags.js';
import type { BundleArgs } from '../flags/bundle-flags.js';
import type { ResolveArgs } from '../flags/resolve-flags.js';
import type { Io } from '../io/io.js';
import { newCommand } from './new-command.js';
import { withHintFlags } from './with-hint-flags.js';

/** What is asked for, and what hints can change of it. */
export interface Given extends GivenInputs {
  readonly request: Request;
}

export type HintedArgs = ResolveArgs &
  BundleArgs & { readonly refs?: readonly string[] | undefined };

/** Reads what is asked for; `unsaved` are texts of files as they are to become. */
export async function readGiven(
  args: HintedArgs,
  io: Io,
  unsaved?: ReadonlyMap<string, string>,
): Promise<Given> {
  const { refs = [], file: files = [], crossplane } = args;
  const skip = [args.lock, ...(args.out === '-' ? [] : [args.out])];
  const read = await readRequestAndTexts(args, io, { refs, skip, unsaved });
  return { ...read, refs, files, hasCrossplane: crossplane !== undefined };
}

interface HintedAnswer {
  readonly answer: Answer;
  readonly request: Request;
  /** Files as the hint changes them. */
  readonly unsaved: ReadonlyMap<string, string>;
}

/** The answer; where there is none and `--apply-hint` is given, the one with that hint taken. */
export async function answerWithHint<Args extends HintedArgs>(
  args: Args,
  inputs: Given,
  answering: (request: Request, args: Args) => Promise<Answer>,
  io: Io,
): Promise<HintedAnswer> {
  const answer = await answering(inputs.request, args);
  if (args.applyHint === undefined || answer.status !== 'unsolvable') {
    if (args.applyHint !== undefined) io.note('note: there is an answer, so no hint is applied');
    return { answer, request: inputs.request, unsaved: new Map() };
  }
  const { takeHint } = await import('./take-hint.js');
  const { edit, texts } = takeHint(args.applyHint, answer, inputs, io);
  if (edit.refs !== undefined || edit.args !== undefined) {
    io.note(`from now on: ${newCommand(io.argv, inputs.refs, edit)}`);
  }
  const changed = { ...withHintFlags(args, edit.args), refs: edit.refs ?? inputs.refs };
  const quiet = { ...io, note: () => {} };
  const { request } = await readGiven(changed, quiet, new Map([...inputs.texts, ...texts]));
  const unsaved = new Map([...texts].filter(([path]) => path !== '-'));
  return { answer: await answering(request, changed), request, unsaved };
}
