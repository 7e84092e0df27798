import type { HTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';

export interface Cursor {
  /** Undefined while nobody points at anything. */
  readonly at: number | undefined;
  /** For what is pointed at, and walked through with the arrow keys. */
  readonly handlers: Pick<
    HTMLAttributes<HTMLDivElement>,
    'onPointerMove' | 'onPointerDown' | 'onPointerLeave' | 'onKeyDown' | 'onFocus' | 'onBlur'
  >;
}

const steps: Readonly<Record<string, (at: number, length: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  PageUp: (at) => at - 10,
  PageDown: (at) => at + 10,
  Home: () => 0,
  End: (_, length) => length - 1,
};

/** Where in a row of `length` equal parts the pointer is, or the reader's keys have led. */
export const useCursor = (length: number, first = length - 1): Cursor => {
  const [at, setAt] = useState<number>();
  const within = (index: number) => Math.max(0, Math.min(length - 1, index));
  const point = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    setAt(within(Math.floor(((event.clientX - left) / width) * length)));
  };
  return {
    at: at === undefined ? undefined : within(at),
    handlers: {
      onPointerMove: point,
      onPointerDown: point,
      onPointerLeave: () => setAt(undefined),
      onFocus: () => setAt((before) => before ?? first),
      onBlur: () => setAt(undefined),
      onKeyDown: (event) => {
        const step = steps[event.key];
        if (!step) return;
        event.preventDefault();
        setAt((before) => within(step(before ?? first, length)));
      },
    },
  };
};
