const MIB = 1024 * 1024;

/** Limits on untrusted input. Anything larger is rejected, never truncated. */
export const LIMITS = {
  manifestBytes: 4 * MIB,
  configBytes: 4 * MIB,
  tagPageBytes: 16 * MIB,
  tagPages: 1_000,
  /** Total of all pages of one list. */
  tagListBytes: 64 * MIB,
  tags: 200_000,
  /** Total of all repositories in one run. */
  tagsPerRun: 500_000,
  tokenBytes: MIB,
  indexChildren: 1_000,
  indexDepth: 4,
  layers: 1_024,
  /** For a layer that is read into memory. */
  layerBytes: 512 * MIB,
  /** For a layer that is copied in chunks. */
  copiedLayerBytes: 16 * 1024 * MIB,
  unpackedBytes: 2_048 * MIB,
  /** Ratio of uncompressed to compressed size, checked once `unpackRatioFromBytes` are unpacked. */
  unpackRatio: 400,
  unpackRatioFromBytes: 16 * MIB,
  zstdFrames: 10_000,
  /** More than `zstd -19` uses. */
  zstdWindowBytes: 32 * MIB,
  /** Memory per run that the decoder leaks for damaged frames. */
  zstdLeakedBytes: 64 * MIB,
  tarEntries: 250_000,
  tarNameChars: 4_096,
  /** Number of path segments. */
  tarNameDepth: 256,
  /** Total length of the names in one tar, or in all layers of an image without a base layer. */
  tarNamesChars: 16 * MIB,
  packageYamlBytes: 200 * MIB,
};

export type Limits = Readonly<typeof LIMITS>;
