import { Fragment } from 'preact';
import { Dialog } from '../parts/dialog.tsx';
import { views } from './views.ts';

const others = [
  ['/', 'Search, where there is a search'],
  ['t', 'Light, dark, or as this machine'],
  ['← →', 'Walk through a chart, a timeline or a row of the map'],
  ['Esc', 'Close what is open'],
  ['?', 'This list'],
] as const;

export const Shortcuts = ({ close }: { readonly close: () => void }) => (
  <Dialog title="Keyboard shortcuts" action="Close" close={close}>
    <dl class="keys">
      {views.map(({ name, title, key }) => (
        <Fragment key={name}>
          <dt>
            <kbd>g</kbd> <kbd>{key}</kbd>
          </dt>
          <dd>{title}</dd>
        </Fragment>
      ))}
      {others.map(([keys, what]) => (
        <Fragment key={keys}>
          <dt>
            {keys.split(' ').map((key) => (
              <Fragment key={key}>
                <kbd>{key}</kbd>{' '}
              </Fragment>
            ))}
          </dt>
          <dd>{what}</dd>
        </Fragment>
      ))}
    </dl>
  </Dialog>
);
