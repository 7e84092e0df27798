import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { hrefTo, navigate } from '../state/route.ts';
import { views } from './routes.tsx';
import { switchTheme } from './theme.tsx';

/** Maximum time between `g` and the key of a view. */
const sequenceTimeoutMs = 1_500;

const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement &&
  (target.closest('input, select, textarea, dialog') !== null || target.isContentEditable);

export const useShortcuts = (showShortcuts: () => void): void => {
  useEffect(() => {
    let sequenceStart = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const isInSequence = event.timeStamp - sequenceStart < sequenceTimeoutMs;
      sequenceStart = event.key === 'g' ? event.timeStamp : -Infinity;
      const view = isInSequence && views.find(({ key }) => key === event.key);
      if (view) navigate(hrefTo(view.path));
      else if (event.key === '?') showShortcuts();
      else if (event.key === 't') switchTheme();
      else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('input[type="search"]');
        if (!search) return;
        search.focus();
        event.preventDefault();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
};

const otherShortcuts = [
  ['/', 'Go to the search field'],
  ['t', 'Switch between system, light and dark colours'],
  ['← →', 'Move along a chart, a timeline or a row of the map'],
  ['Esc', 'Close a dialog'],
  ['?', 'Show this list'],
] as const;

export const ShortcutsDialog = ({ close }: { readonly close: () => void }) => (
  <Dialog title="Keyboard shortcuts" action="Close" close={close}>
    <dl class="shortcuts">
      {views.map(({ path, title, key }) => (
        <Fragment key={path}>
          <dt>
            <kbd>g</kbd> <kbd>{key}</kbd>
          </dt>
          <dd>{title}</dd>
        </Fragment>
      ))}
      {otherShortcuts.map(([keys, effect]) => (
        <Fragment key={keys}>
          <dt>
            {keys.split(' ').map((key) => (
              <Fragment key={key}>
                <kbd>{key}</kbd>{' '}
              </Fragment>
            ))}
          </dt>
          <dd>{effect}</dd>
        </Fragment>
      ))}
    </dl>
  </Dialog>
);
