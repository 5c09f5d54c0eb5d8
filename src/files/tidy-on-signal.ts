const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs `action`. Should a signal end the process meanwhile, `tidy` goes first. */
export async function tidyOnSignal<T>(tidy: () => void, action: () => Promise<T>): Promise<T> {
  const stop = () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals) => {
    stop();
    tidy();
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    return await action();
  } finally {
    stop();
  }
}
