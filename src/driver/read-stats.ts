/** How much was asked of a source. */
export interface ReadCounts {
  /** Tag lists asked for. */
  readonly listed: number;
  /** Package versions read; those asked for ahead count, whether they came to be needed or not. */
  readonly fetched: number;
}

/** The count of one run, filled in as it goes. */
export interface ReadStats extends ReadCounts {
  listed: number;
  fetched: number;
  /** Bytes read from the network, which registry connections count; `SourceMemory` counts the rest. */
  bytes: number;
  /** What was asked for last; undefined: nothing yet. */
  latest: string | undefined;
}

export function noStats(): ReadStats {
  return { listed: 0, fetched: 0, bytes: 0, latest: undefined };
}
