import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../api/refused.ts';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  /** What the button that does it says. */
  readonly action: string;
  readonly isGrave?: boolean;
  /** Done, and the dialog closes; what is thrown is told in it. Without it there is only something to read. */
  readonly act?: () => Promise<unknown>;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** Asks before something is done. The browser keeps the focus inside, closes it with Escape and gives the focus back. */
export const Dialog = ({ title, action, isGrave = false, act, close, children }: DialogProps) => {
  const box = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  useEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!act) close();
    if (!act || state.isBusy) return;
    setState({ isBusy: true });
    try {
      await act();
      close();
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return (
    <dialog class="dialog" ref={box} aria-labelledby={heading} onClose={close}>
      <form method="dialog" onSubmit={(event) => void submit(event)}>
        <h2 id={heading}>{title}</h2>
        {children}
        {state.error !== undefined && (
          <div class="wrong" role="alert">
            {sentenceOf(state.error)}
          </div>
        )}
        <div class="buttons">
          {act && <Button onClick={close}>Cancel</Button>}
          <Button type="submit" kind={isGrave ? 'grave' : 'main'} disabled={state.isBusy}>
            {state.isBusy ? 'One moment …' : action}
          </Button>
        </div>
      </form>
    </dialog>
  );
};
