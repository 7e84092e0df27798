import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends ButtonHTMLAttributes {
  readonly kind?: 'main' | 'grave' | 'quiet';
  readonly size?: 'small';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

export const Button = ({ kind, size, type = 'button', children, ...rest }: ButtonProps) => (
  <button class="button" type={type} data-kind={kind} data-size={size} {...rest}>
    {children}
  </button>
);

interface IconButtonProps {
  readonly icon: IconName;
  /** What it does: read aloud, and shown when pointed at. */
  readonly label: string;
  readonly onClick: () => void;
}

export const IconButton = ({ icon, label, onClick }: IconButtonProps) => (
  <button class="button" type="button" data-kind="quiet" data-icon aria-label={label} title={label} onClick={onClick}>
    <Icon name={icon} />
  </button>
);
