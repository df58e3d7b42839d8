"""training.py - writes training.json: what PyTorch 1.13 (Debian's python3-torch) computes, for tests in C and JavaScript to follow.

    /usr/bin/python3 tests/data/training.py > tests/data/training.json

optimizers  parameters, gradients of each step, and the parameters after each of them, in float64
schedulers  learning rates of each step
models      initial parameters, data, losses of each step and final parameters of small networks, in float64 and float32
"""
import json
import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.optim import lr_scheduler

torch.manual_seed(20)
torch.set_num_threads(1)


def values(x):
    return {"shape": list(x.shape), "values": [float("%.17g" % v) for v in x.detach().double().flatten().tolist()]}


OPTIMIZERS = [
    ("SGD", dict(lr=0.1)),
    ("SGD", dict(lr=0.1, momentum=0.9, dampening=0.2, weight_decay=0.05)),
    ("SGD", dict(lr=0.05, momentum=0.8, nesterov=True, maximize=True)),
    ("Adam", dict()),
    ("Adam", dict(lr=0.02, betas=(0.8, 0.95), eps=1e-4, weight_decay=0.1, amsgrad=True)),
    ("AdamW", dict(lr=0.05)),
    ("AdamW", dict(lr=0.05, weight_decay=0.3, amsgrad=True, maximize=True)),
    ("RMSprop", dict()),
    ("RMSprop", dict(lr=0.02, alpha=0.9, eps=1e-6, weight_decay=0.1, momentum=0.7, centered=True)),
    ("Adagrad", dict(lr=0.3)),
    ("Adagrad", dict(lr=0.3, lr_decay=0.1, weight_decay=0.2, initial_accumulator_value=0.5)),
]
STEPS = 6


def run_optimizer(name, options):
    params = [torch.randn(3, 2, dtype=torch.float64), torch.randn(4, dtype=torch.float64)]
    result = {"name": name, "options": options, "params": [values(p) for p in params], "grads": [], "after": []}
    optimizer = getattr(optim, name)(params, **options)
    for _ in range(STEPS):
        for p in params:
            p.grad = torch.randn_like(p)
        result["grads"].append([values(p.grad) for p in params])
        optimizer.step()
        result["after"].append([values(p) for p in params])
    return result


SCHEDULERS = [
    ("StepLR", dict(step_size=4, gamma=0.5)),
    ("MultiStepLR", dict(milestones=[3, 7, 7, 12], gamma=0.3)),
    ("ExponentialLR", dict(gamma=0.9)),
    ("CosineAnnealingLR", dict(T_max=8, eta_min=0.01)),
    ("LinearLR", dict(start_factor=0.25, end_factor=0.8, total_iters=6)),
    ("OneCycleLR", dict(max_lr=0.7, total_steps=20)),
    ("OneCycleLR", dict(max_lr=0.7, total_steps=20, pct_start=0.25, anneal_strategy="linear", three_phase=True)),
]


def run_scheduler(name, options):
    optimizer = optim.SGD([torch.zeros(1)], lr=0.4, momentum=0.9)
    scheduler = getattr(lr_scheduler, name)(optimizer, **options)
    rates, momenta = [], []
    for _ in range(20):
        rates.append(optimizer.param_groups[0]["lr"])
        momenta.append(optimizer.param_groups[0]["momentum"])
        optimizer.step()
        if len(rates) < 20:
            scheduler.step()
    return {"name": name, "options": options, "rates": rates, "momenta": momenta}


def run_lambda():
    optimizer = optim.SGD([torch.zeros(1)], lr=0.4)
    scheduler = lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    rates = []
    for _ in range(20):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return {"name": "LambdaLR", "options": {}, "rates": rates}


def run_plateau(options):
    metrics = [1, 0.9, 0.9, 0.9, 0.9, 0.5, 0.51, 0.52, 0.5, 0.49999, 0.5, 0.6, 0.6, 0.6, 0.1, 0.2, 0.2, 0.2, 0.2, 0.2]
    optimizer = optim.SGD([torch.zeros(1)], lr=0.4)
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, **options)
    rates = []
    for metric in metrics:
        scheduler.step(metric)
        rates.append(optimizer.param_groups[0]["lr"])
    return {"name": "ReduceLROnPlateau", "options": options, "metrics": metrics, "rates": rates}


class Tokens(nn.Module):
    """The mean of embeddings, then a linear layer."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(7, 5)
        self.norm = nn.LayerNorm(5)
        self.output = nn.Linear(5, 3)

    def forward(self, x):
        return self.output(self.norm(self.embedding(x).mean(1)))


def dense(activation, outputs, norm=False):
    middle = [nn.LayerNorm(8)] if norm else []
    return nn.Sequential(nn.Linear(4, 8), *middle, activation, nn.Linear(8, outputs))


# name, model, loss, optimiser, its options, largest norm of gradients
MODELS = [
    ("linear", lambda: nn.Sequential(nn.Linear(4, 2)), "mse", "SGD", dict(lr=0.1), None),
    ("momentum", lambda: dense(nn.Tanh(), 2), "mse", "SGD", dict(lr=0.05, momentum=0.9, weight_decay=0.01), None),
    ("nesterov", lambda: dense(nn.ReLU(), 3), "cross_entropy", "SGD", dict(lr=0.05, momentum=0.9, nesterov=True), None),
    ("adam", lambda: dense(nn.GELU(), 3), "cross_entropy", "Adam", dict(lr=0.01), None),
    ("adamw", lambda: dense(nn.SiLU(), 3, True), "cross_entropy", "AdamW", dict(lr=0.01, weight_decay=0.1), None),
    ("rmsprop", lambda: dense(nn.Sigmoid(), 2), "mse", "RMSprop", dict(lr=0.01, momentum=0.5, centered=True), None),
    ("adagrad", lambda: dense(nn.Tanh(), 2, True), "mse", "Adagrad", dict(lr=0.1), 0.5),
    ("embedding", Tokens, "cross_entropy", "Adam", dict(lr=0.02, amsgrad=True), 1.0),
]
EPOCHS = 30


def run_model(name, make, loss_name, optimizer_name, options, max_norm):
    model = make().double()
    initial = {key: values(x) for key, x in model.state_dict().items()}
    if name == "embedding":
        inputs = torch.randint(0, 7, (10, 4))
    else:
        inputs = torch.randn(10, 4, dtype=torch.float64)
    outputs = [p for p in model.parameters()][-1].shape[0]
    targets = torch.randint(0, outputs, (10,)) if loss_name == "cross_entropy" else torch.randn(10, outputs, dtype=torch.float64)
    result = {
        "name": name, "loss": loss_name, "optimizer": optimizer_name, "options": options, "maxNorm": max_norm,
        "initial": initial, "inputs": values(inputs), "targets": values(targets),
    }
    state = {key: x.clone() for key, x in model.state_dict().items()}
    for dtype in (torch.float64, torch.float32):
        model.load_state_dict(state)
        model.to(dtype)
        x = inputs if name == "embedding" else inputs.to(dtype)
        y = targets if loss_name == "cross_entropy" else targets.to(dtype)
        compute = F.cross_entropy if loss_name == "cross_entropy" else F.mse_loss
        optimizer = getattr(optim, optimizer_name)(model.parameters(), **options)
        losses = []
        for _ in range(EPOCHS):
            optimizer.zero_grad()
            loss = compute(model(x), y)
            loss.backward()
            if max_norm is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
            losses.append(float(loss))
        key = "float64" if dtype == torch.float64 else "float32"
        result[key] = {"losses": losses, "final": {k: values(v) for k, v in model.state_dict().items()}}
        model.double()
    return result


def text(x, depth):
    """JSON with a line for each item of the outer levels."""
    if depth == 0 or not isinstance(x, (dict, list)):
        return json.dumps(x)
    pad = "  " * (3 - depth)
    if isinstance(x, dict):
        items = ["%s: %s" % (json.dumps(k), text(v, depth - 1)) for k, v in x.items()]
        return "{\n%s%s\n%s}" % (pad, (",\n" + pad).join(items), pad[2:])
    return "[\n%s%s\n%s]" % (pad, (",\n" + pad).join(text(v, depth - 1) for v in x), pad[2:])


print(text({
    "torch": torch.__version__,
    "optimizers": [run_optimizer(*row) for row in OPTIMIZERS],
    "schedulers": [run_scheduler(*row) for row in SCHEDULERS] + [run_lambda()] + [
        run_plateau(dict(patience=1)),
        run_plateau(dict(mode="max", factor=0.5, patience=2, threshold=0.1, threshold_mode="abs", cooldown=2, min_lr=0.05)),
    ],
    "models": [run_model(*row) for row in MODELS],
}, 2))
