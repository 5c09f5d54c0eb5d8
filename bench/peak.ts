import { readFileSync } from 'node:fs';

process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.stderr.write(`peak ${peakOf(maxRSS)}\ncpu ${userCPUTime + systemCPUTime}\n`);
});

/** In kB. Linux counts what the process that started this one had as well; its own peak is told here. */
function peakOf(otherwise: number): number {
  try {
    const told = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return told === undefined ? otherwise : Number(told);
  } catch {
    return otherwise;
  }
}
