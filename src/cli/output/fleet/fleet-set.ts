import type { ExitCode } from '../../exit-code.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import type { Answer } from '../../../usecases/resolve/answer.js';

/** What was found of one control plane. */
export interface FleetSet {
  /** File of its set. */
  readonly set: string;
  readonly exitCode: ExitCode;
  /** How it went, in one line. */
  readonly headline: string;
  /** Of one that failed, what a command prints of that with `-o json`; else, and as text, `''`. */
  readonly out: string;
  /** undefined: it has none that can be read. */
  readonly lockfile: Lockfile | undefined;
  /** What an update would come to; undefined: no source was asked, or none of the packages is here. */
  readonly update: Answer | undefined;
}
