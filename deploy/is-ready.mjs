/** Health check of a container: succeeds if the service on the given port reports that it is ready. */
const [, , port] = process.argv;

const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) }).catch(
  () => undefined,
);
process.exit(answer?.ok ? 0 : 1);
