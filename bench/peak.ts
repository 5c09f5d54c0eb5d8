import { readFileSync } from 'node:fs';

process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.stderr.write(`peak ${peakOf(maxRSS)}\ncpu ${userCPUTime + systemCPUTime}\n`);
});

/**
 * Returns the peak memory in kB. Linux includes that of the parent process, which is subtracted.
 */
function peakOf(otherwise: number): number {
  try {
    const told = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return told === undefined ? otherwise : Number(told);
  } catch {
    return otherwise;
  }
}
