import { signal } from '@preact/signals';

/** Now in ms, as often as what is told as "3 minutes ago" needs it. */
export const now = signal(Date.now());

setInterval(() => (now.value = Date.now()), 5_000);
