import type { HTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';

export interface Cursor {
  readonly index: number | undefined;
  /** The element must have the role `slider`. */
  readonly handlers: Pick<
    HTMLAttributes<HTMLDivElement>,
    'onPointerMove' | 'onPointerDown' | 'onPointerLeave' | 'onKeyDown' | 'onFocus' | 'onBlur'
  >;
}

const keySteps: Readonly<Record<string, (index: number, length: number) => number>> = {
  ArrowLeft: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  PageUp: (index) => index - 10,
  PageDown: (index) => index + 10,
  Home: () => 0,
  End: (_, length) => length - 1,
};

/** The values divide the width of the element equally. The focus selects the value at `firstIndex`, unless a value is selected. */
export const useCursor = (length: number, firstIndex = length - 1): Cursor => {
  const [index, setIndex] = useState<number>();
  const clamp = (value: number) => Math.max(0, Math.min(length - 1, value));
  const followPointer = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    setIndex(clamp(Math.floor(((event.clientX - left) / width) * length)));
  };
  return {
    index: index === undefined ? undefined : clamp(index),
    handlers: {
      onPointerMove: followPointer,
      onPointerDown: followPointer,
      onPointerLeave: () => setIndex(undefined),
      onFocus: () => setIndex((before) => before ?? firstIndex),
      onBlur: () => setIndex(undefined),
      onKeyDown: (event) => {
        const step = keySteps[event.key];
        if (!step) return;
        event.preventDefault();
        setIndex((before) => clamp(step(before ?? firstIndex, length)));
      },
    },
  };
};
