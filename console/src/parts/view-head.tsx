import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

interface ViewHeadProps {
  readonly title: string;
  readonly about?: ComponentChildren;
  /** The list this belongs to: its address and name. */
  readonly back?: readonly [address: string, name: string];
  readonly children?: ComponentChildren;
}

export const ViewHead = ({ title, about, back, children }: ViewHeadProps) => (
  <header class="view-head">
    <div>
      {back && (
        <a class="back" href={back[0]}>
          <Icon name="back" size={16} />
          {back[1]}
        </a>
      )}
      <h1>{title}</h1>
      {about && <p>{about}</p>}
    </div>
    {children}
  </header>
);
