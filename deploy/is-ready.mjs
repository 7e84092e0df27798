/** A container's health check: whether the service on this port says that it is ready. */
const [, , port] = process.argv;

const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) }).catch(
  () => undefined,
);
process.exit(answer?.ok ? 0 : 1);
