import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { errorMessage } from '../api/client.ts';
import { Button } from './controls.tsx';

interface DialogProps {
  readonly title: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  /** If `run` fails, the dialog stays open and shows the error. Without `run`, the dialog only shows information. */
  readonly run?: () => Promise<unknown>;
  readonly closesAfterRun?: boolean;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** The browser keeps the focus inside and closes the dialog with Escape. */
export const Dialog = ({
  title,
  action,
  isDangerous = false,
  run,
  closesAfterRun = true,
  close,
  children,
}: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  // Preact runs the cleanup of a layout effect before it removes the element. The cleanup closes the dialog first, because elements
  // outside an open modal dialog cannot receive the focus.
  useLayoutEffect(() => {
    const element = dialog.current!;
    const focusedBefore = document.activeElement;
    element.showModal();
    return () => {
      element.close();
      if (focusedBefore instanceof HTMLElement) focusedBefore.focus();
    };
  }, []);
  // After another dialog has replaced this one, `close` would close the other dialog.
  const closeIfMounted = () => {
    if (dialog.current) close();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!run) close();
    if (!run || state.isBusy) return;
    setState({ isBusy: true });
    try {
      await run();
      if (closesAfterRun) closeIfMounted();
      else setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return (
    <dialog class="dialog" ref={dialog} aria-labelledby={headingId} onClose={closeIfMounted}>
      <form method="dialog" onSubmit={(event) => void submit(event)}>
        <h2 id={headingId}>{title}</h2>
        {children}
        {state.error !== undefined && (
          <div class="error-box" role="alert">
            {errorMessage(state.error)}
          </div>
        )}
        <div class="buttons">
          {run && <Button onClick={close}>Cancel</Button>}
          <Button type="submit" kind={isDangerous ? 'danger' : 'primary'} disabled={state.isBusy}>
            {state.isBusy ? 'One moment …' : action}
          </Button>
        </div>
      </form>
    </dialog>
  );
};
