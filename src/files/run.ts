/** A run of the tool among others that may write to the same folder. */
export interface Run {
  /** For the names of what it leaves behind should it be killed: eight hex digits, a dash, digits. */
  readonly name: string;
  /** Whether the run of that name is known to be over; of other machines, nothing is. */
  hasEnded(name: string): boolean;
  /** Does it while no other run does anything of the kind in that folder. */
  alone(folder: string, action: () => void): Promise<void>;
  /** Whether `alone` puts files of that name into the folder. */
  isLock(name: string): boolean;
}
