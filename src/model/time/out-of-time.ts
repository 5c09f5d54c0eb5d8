/** The time of a run is up (exit 7). It names what the run was waiting for. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
  readonly seconds: number;
  readonly waitedFor: string;

  constructor(seconds: number, waitedFor: string, subject?: string) {
    const what = `the ${seconds} s for this run are over; it was waiting for ${waitedFor}`;
    super(subject === undefined ? what : `${subject}: ${what}`);
    this.seconds = seconds;
    this.waitedFor = waitedFor;
  }

  /** A copy that names what was asked for: `tags of h.io/a/p`. */
  about(subject: string): OutOfTime {
    return new OutOfTime(this.seconds, this.waitedFor, subject);
  }
}
