import { signal } from '@preact/signals';

/** Whether the server knows who sits here; `unknown` until it was asked. What proves it is a cookie that this page cannot read. */
export const session = signal<'unknown' | 'in' | 'out'>('unknown');
